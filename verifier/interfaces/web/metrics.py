"""What a server counts, in the form of Prometheus; no label holds what a caller wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Scope

    from verifier.connections import PoolUse
    from verifier.core.report import GroundingReport

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
UNMATCHED: Final = "unmatched"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS_S: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300)


class Metrics:
    """The counts of one application, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "verifier_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "verifier_request_seconds",
            "How long it took until an answer was sent.",
            ("method", "route"),
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self.in_flight = Gauge(
            "verifier_requests_in_flight", "Requests that run.", registry=self._registry
        )
        self._refusals = Counter(
            "verifier_refusals", "Requests that were refused.", ("reason",), registry=self._registry
        )
        self._claims = Counter(
            "verifier_claims",
            "Claims that were verified.",
            ("disposition",),
            registry=self._registry,
        )

    def watch_pool(self, read: Callable[[], PoolUse | None]) -> None:
        """Tell of the store's pool, as `read` returns it whenever somebody looks."""

        def field(name: str) -> Callable[[], float]:
            return lambda: float(getattr(read(), name, 0))

        told = {
            "in_use": "Connections of the store that are lent.",
            "open": "Connections of the store that are open.",
            "most": "How many connections of the store there may be.",
        }
        for name, meaning in told.items():
            gauge = Gauge(f"verifier_pool_connections_{name}", meaning, registry=self._registry)
            gauge.set_function(field(name))

    def count_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = name_route(scope)
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def count_refusal(self, reason: str) -> None:
        """Count a request that was refused for one of the reasons that guards know."""
        self._refusals.labels(reason).inc()

    def count_claims(self, report: GroundingReport) -> None:
        """Count the claims of a report by their disposition."""
        for judged in report.judged:
            self._claims.labels(judged.verdict.disposition.value).inc()

    def write(self) -> bytes:
        """Return all counts as Prometheus reads them."""
        return generate_latest(self._registry)


def name_route(scope: Mapping[str, object]) -> str:
    """Return the template of the route that answers, never the path that was asked for."""
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str):
        return path
    root = scope.get("root_path")
    return root if "endpoint" in scope and isinstance(root, str) and root else UNMATCHED
