"""What a verifier keeps beside its verbs: an object each for sources, spaces, audits and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.answers import Answers
from verifier.audits import Audits
from verifier.catalog_study import CatalogStudy
from verifier.conflicts import Conflicts
from verifier.connections import Connections, PoolUse
from verifier.embedders import Embedders
from verifier.imports import Imports
from verifier.keys import Keys, KnownCallers
from verifier.named_requests import NamedRequests
from verifier.readiness import find_unready
from verifier.reviews import Reviews
from verifier.served_turns import ServedTurns
from verifier.sources import Sources
from verifier.spaces import Spaces
from verifier.upkeep import Upkeep
from verifier.verification import Verification

if TYPE_CHECKING:
    from verifier.core.catalog import Catalog
    from verifier.core.policy import Policy
    from verifier.core.ports import Embedder, Reranker
    from verifier.settings import Settings
    from verifier.verify.known_names import CanonicalNames


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What is there once, however many tenants are served; `names` are those of types without a scope."""

    connections: Connections
    embedders: Embedders
    catalog: Catalog
    callers: KnownCallers
    names: CanonicalNames | None = None


def open_shared(settings: Settings, embedder: Embedder | None, reranker: Reranker | None) -> Shared:
    """Return what the verifiers of one process share; nothing is opened or loaded yet."""
    from verifier.core.catalog import parse_catalog

    return Shared(
        connections=Connections(settings),
        embedders=Embedders(settings, embedder, reranker),
        catalog=parse_catalog(settings.catalog),
        callers=KnownCallers(),
    )


class Keeping:
    """The connections and models of one tenant, and the objects that share them."""

    def __init__(self, settings: Settings, shared: Shared) -> None:
        self._settings = settings
        self._shared = shared
        self._catalog = shared.catalog
        self._connections = shared.connections
        self._embedders = shared.embedders
        self._verification = Verification(
            shared.connections, shared.catalog, settings, names=shared.names
        )

    @property
    def tenant(self) -> str:
        """Whose documents and reports are meant."""
        return self._settings.tenant

    @property
    def catalog(self) -> Catalog:
        """The catalog of the settings; empty where they declare none."""
        return self._catalog

    @property
    def policy(self) -> Policy:
        """What becomes of an answer where `verify` is told nothing else."""
        return self._verification.policy

    @property
    def sources(self) -> Sources:
        """What there is of sources, who permitted them, and what becomes of them."""
        return Sources(self._connections, self.tenant)

    @property
    def imports(self) -> Imports:
        """What takes over the tables of other retrieval stores."""
        return Imports(self._connections, self._settings, load_embedder=self._embedders.load)

    @property
    def spaces(self) -> Spaces:
        """The embedding spaces, and going over from one model to another."""
        return Spaces(self._connections, self.tenant, self._embedders)

    @property
    def upkeep(self) -> Upkeep:
        """What mends the store where `doctor` found something, and removes what nothing uses."""
        return Upkeep(self._connections, self.tenant)

    @property
    def audits(self) -> Audits:
        """Which past answers rest on what holds no more."""
        return Audits(self._connections, self.tenant, back=self._verification.backing)

    @property
    def reviews(self) -> Reviews:
        """What waits for a person's decision, and what was decided."""
        return Reviews(self._connections, self.tenant, back=self._verification.backing)

    @property
    def answers(self) -> Answers:
        """What was answered, and whether it still holds."""
        return Answers(self._connections, self._settings, back=self._verification.backing)

    @property
    def conflicts(self) -> Conflicts:
        """Places that disagree, and who settles them."""
        return Conflicts(self._connections, self.tenant, back=self._verification.backing)

    @property
    def keys(self) -> Keys:
        """Who may call a server for this tenant, and who a caller is."""
        return Keys(self._connections, self.tenant, self._shared.callers)

    @property
    def turns(self) -> ServedTurns:
        """Turns kept in the store, to which calls and searches are recorded as they come."""
        return ServedTurns(self._connections, self.tenant)

    @property
    def named_requests(self) -> NamedRequests:
        """Requests that are done once, however often they are sent."""
        return NamedRequests(self._connections, self.tenant)

    @property
    def pool_use(self) -> PoolUse:
        """How much of the store's pool is in use."""
        return self._connections.use

    @property
    def catalog_study(self) -> CatalogStudy:
        """What proposes, proves and explains the catalog against its tables."""
        return CatalogStudy(self._connections, self._catalog)

    async def find_unready(self, *, with_model: bool) -> tuple[str, ...]:
        """Return which of `database`, `schema` and `model` can't serve now; never raises."""
        return await find_unready(self._connections, self._embedders if with_model else None)
