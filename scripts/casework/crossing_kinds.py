"""What two tenants ask: for what is theirs, and for what only the other one has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from casework.crossing_store import SHARED

if TYPE_CHECKING:
    import random

    import httpx

    from casework.crossing_store import Tenant

NEVER: Final = "only-never-0"
_NO_NUMBER: Final = 987_654_321


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request of a kind, and what is wrong with an answer, None where nothing is."""

    method: str
    path: str
    check: Callable[[httpx.Response], str | None]
    params: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None


Foreign: TypeAlias = tuple[Callable[[Any], Asked], object, object]
"""What makes a request that names something, the name of something foreign, and one of nothing at all."""


def _has(count: int, of: str = "", *, mark: str = "") -> Callable[[httpx.Response], str | None]:
    """Return the check that an answer lists so many, and that the mark is in it so often at least."""

    def check(answer: httpx.Response) -> str | None:
        if answer.status_code != 200:
            return f"{answer.status_code} {answer.text[:300]}"
        listed = answer.json()[of] if of else answer.json()
        if len(listed) != count:
            return f"{len(listed)} instead of {count}"
        return None if answer.text.count(mark) >= bool(mark) * count else f"lacks {mark}"

    return check


def _tells(pattern: str, *, status: int = 200) -> Callable[[httpx.Response], str | None]:
    """Return the check that an answer has this status and tells the pattern."""

    def check(answer: httpx.Response) -> str | None:
        fits = answer.status_code == status and re.search(pattern, answer.text)
        return None if fits else f"{answer.status_code} {answer.text[:300]}"

    return check


def _search(own: Tenant, other: Tenant, order: random.Random) -> Asked:
    count = order.randint(1, 20)
    asked = order.choice((own.mark, other.mark, "goods may be returned", "the buyer is told"))
    expected = min(count, own.sources)

    def check(answer: httpx.Response) -> str | None:
        if answer.status_code != 200:
            return f"{answer.status_code} {answer.text[:300]}"
        hits = answer.json()["hits"]
        wrong = [hit["chunk_id"] for hit in hits if own.mark not in hit["text"]]
        return None if len(hits) == expected and not wrong else f"{len(hits)} hits, wrong {wrong}"

    # The query is told again in the answer, so that of the other's mark only a part is asked for.
    return Asked(
        method="POST",
        path="/v1/search",
        body={"query": asked.replace(other.mark, other.mark[:-1]), "k": count},
        check=check,
    )


def _versions(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    number = order.randrange(SHARED)
    return Asked(
        method="GET",
        path="/v1/versions",
        params={"source": f"policy-{number}"},
        check=_has(own.versions_of(number)),
    )


def _text(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    number = order.randrange(SHARED)
    text = json.dumps(own.write(number, own.versions_of(number) - 1), ensure_ascii=False)
    return Asked(
        method="GET",
        path="/v1/versions/text",
        params={"source": f"policy-{number}"},
        check=_tells(re.escape(text)),
    )


def _impact(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    number = order.randrange(SHARED)
    return Asked(
        method="GET",
        path="/v1/audits/impact",
        params={"source": f"policy-{number}"},
        check=_tells(rf'"chunks": {own.versions_of(number)}, "answering": 1,'),
    )


def _report(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    name = f"report-{order.randrange(SHARED)}"
    return Asked(method="GET", path=f"/v1/reports/{name}", check=_tells(own.mark))


def _review(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    return Asked(
        method="GET", path=f"/v1/reviews/{order.choice(own.reviews)}", check=_tells(own.mark)
    )


def _decide(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    return Asked(
        method="POST",
        path=f"/v1/reviews/{order.choice(own.reviews)}/decide",
        body={"decision": order.choice(("supported", "unclear")), "reason": f"so says {own.mark}"},
        check=_tells(own.mark),
    )


def _verify(own: Tenant, days: int, number: int, order: random.Random) -> dict[str, Any]:
    return {
        "question": f"Question {order.getrandbits(60)} of {own.mark}?",
        "answer": f"Goods of kind {number} may be returned within {days} days.",
        "retrieved": [own.chunk_of(number)],
        "cited": own.chunk_of(number),
    }


def _verify_own(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    number = order.randrange(SHARED)
    body = _verify(own, own.days + own.versions_of(number) - 1, number, order)
    return Asked(
        method="POST", path="/v1/verify", body=body, check=_tells('"accepted": true.*"claims": 1')
    )


def _verify_others(own: Tenant, other: Tenant, order: random.Random) -> Asked:
    number = order.randrange(SHARED)
    body = _verify(own, other.days + other.versions_of(number) - 1, number, order)
    return Asked(method="POST", path="/v1/verify", body=body, check=_tells('"accepted": false'))


def _turn(own: Tenant, _: Tenant, order: random.Random) -> Asked:
    return Asked(method="GET", path=f"/v1/turns/{order.choice(own.turns)}", check=_tells("turn_id"))


OWN_KINDS: Final[dict[str, Callable[[Tenant, Tenant, random.Random], Asked]]] = {
    "search": _search,
    "sources": lambda own, _, __: Asked(method="GET", path="/v1/sources", check=_has(own.sources)),
    "versions": _versions,
    "text": _text,
    "impact": _impact,
    "report": _report,
    "reviews": lambda own, _, __: Asked(
        method="GET",
        path="/v1/reviews",
        params={"state": "all", "limit": 1_000},
        check=_has(len(own.reviews), "entries", mark=own.mark),
    ),
    "review": _review,
    "decide": _decide,
    "conflicts": lambda own, _, __: Asked(
        method="GET",
        path="/v1/conflicts",
        check=_has(len(own.conflicts), "conflicts", mark=own.mark),
    ),
    "audit of conflicts": lambda own, _, __: Asked(
        method="GET",
        path="/v1/audits/conflicts",
        check=_has(len(own.conflicts), "listed", mark=own.mark),
    ),
    "audit of texts": lambda _, __, ___: Asked(
        method="GET", path="/v1/audits/superseded", check=_tells('"found": 0')
    ),
    "verify own": _verify_own,
    "verify the other's number": _verify_others,
    "turn": _turn,
}


def _of_source(method: str, path: str, **body: object) -> Callable[[Tenant, Any], Foreign]:
    """Return the kind of request that names a source of the other tenant alone."""

    def make(named: object) -> Asked:
        told = {"source": named} | body
        return Asked(
            method=method,
            path=path,
            params=told if method == "GET" else {},
            body=None if method == "GET" else told,
            check=_tells(str(named), status=404),
        )

    return lambda other, _: (make, f"only-{other.name}-0", NEVER)


def _of_number(
    method: str, path: str, numbers: str, **body: object
) -> Callable[[Tenant, random.Random], Foreign]:
    """Return the kind of request that names an entry of the other tenant by its number or id."""

    def make(named: object) -> Asked:
        return Asked(
            method=method,
            path=path.format(named),
            body=body or None,
            check=_tells("", status=404),
        )

    def choose(other: Tenant, order: random.Random) -> Foreign:
        theirs = order.choice(getattr(other, numbers))
        missing = _NO_NUMBER if isinstance(theirs, int) else f"{theirs[:-4]}AAAA"
        return make, theirs, missing

    return choose


def _of_report(other: Tenant, order: random.Random) -> Foreign:
    def make(named: object) -> Asked:
        return Asked(method="GET", path=f"/v1/reports/{named}", check=_tells("", status=404))

    return make, f"only-{other.name}-{order.randrange(SHARED)}", f"{NEVER}-0"


def _of_chunk(other: Tenant, order: random.Random) -> Foreign:
    def make(named: object) -> Asked:
        chunk = f"{named}@1#0"
        body = {"answer": "It takes 71 days.", "retrieved": [chunk], "cited": chunk}
        return Asked(method="POST", path="/v1/verify", body=body, check=_tells("accepted"))

    return make, f"only-{other.name}-{order.randrange(other.lone_sources)}", NEVER


FOREIGN_KINDS: Final[dict[str, Callable[[Tenant, random.Random], Foreign]]] = {
    "foreign versions": _of_source("GET", "/v1/versions"),
    "foreign text": _of_source("GET", "/v1/versions/text"),
    "foreign diff": _of_source("GET", "/v1/versions/diff"),
    "foreign impact": _of_source("GET", "/v1/audits/impact"),
    "foreign denial": _of_source("POST", "/v1/sources/deny", reason="no"),
    "foreign withdrawal": _of_source("POST", "/v1/sources/withdraw", reason="no"),
    "foreign erasure": _of_source("POST", "/v1/sources/erase/plan"),
    "foreign report": _of_report,
    "foreign review": _of_number("GET", "/v1/reviews/{}", "reviews"),
    "foreign decision": _of_number(
        "POST", "/v1/reviews/{}/decide", "reviews", decision="supported", reason="so"
    ),
    "foreign conflict": _of_number(
        "POST", "/v1/conflicts/{}/resolve", "conflicts", reason="settled"
    ),
    "foreign chunk": _of_chunk,
    "foreign turn": _of_number("GET", "/v1/turns/{}", "turns"),
    "foreign call": _of_number(
        "POST", "/v1/turns/{}/calls", "turns", tool="t", arguments={}, result={"price": 5}
    ),
}
