"""What `doctor` looks at: every part that serving depends on, each with what to do where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.checks import Check, CheckState
from verifier.errors import VerifierError

if TYPE_CHECKING:
    from verifier.connections import Connections
    from verifier.core.catalog import Catalog
    from verifier.core.ports import Embedder, Reranker
    from verifier.embedders import Embedders

_NEEDED: Final = frozenset({"server", "pgvector", "schema", "login"})
"""What must be well before the content can be looked at."""


async def examine(
    connections: Connections, tenant: str, catalog: Catalog, embedders: Embedders
) -> tuple[Check, ...]:
    """Return the checks of store, content, models and catalog; what can't be looked at is a failed check.

    Content is that of the tenant, and looked at where the database can serve.
    """
    store = await examine_server(connections)
    serves = all(check.state is not CheckState.FAILED for check in store if check.name in _NEEDED)
    return (
        *store,
        *(await _examine_content(connections, tenant) if serves else ()),
        _examine_model(embedders.load()),
        *_examine_reranker(embedders.load_reranker()),
        *[await _examine_catalog(connections, catalog, name) for name in _databases(catalog)],
    )


async def examine_server(connections: Connections) -> tuple[Check, ...]:
    """Return the checks of server, extension, schema, login and indexes, which are quick; never raises."""
    from verifier.store.diagnosis import diagnose

    try:
        pool = await connections.store_as_it_is()
        async with pool.acquire() as conn:
            return await diagnose(conn)
    except VerifierError as error:
        return (_failed("server", error, "see the message; `verifier init` explains the settings"),)


async def _examine_content(connections: Connections, tenant: str) -> tuple[Check, ...]:
    from verifier.store.content_checks import check_content

    try:
        return await check_content(await connections.store(), tenant)
    except VerifierError as error:
        return (_failed("content", error, "see the message; run it again once that is mended"),)


def _examine_model(embedder: Embedder) -> Check:
    try:
        space = embedder.space
    except VerifierError as error:
        return _failed("model", error, "pip install 'grounding-verifier[offline-model]'")
    return Check(name="model", state=CheckState.OK, detail=str(space))


def _examine_reranker(reranker: Reranker | None) -> tuple[Check, ...]:
    if reranker is None:
        return ()
    try:
        return (Check(name="reranker", state=CheckState.OK, detail=reranker.name),)
    except VerifierError as error:
        return (_failed("reranker", error, "correct the setting `reranker`, or take it away"),)


async def _examine_catalog(connections: Connections, catalog: Catalog, name: str) -> Check:
    from verifier.store.canonical_check import check_catalog
    from verifier.store.canonical_pool import borrow_connection

    label = f"catalog of {name}"
    try:
        pool = await connections.canonical(name)
        async with borrow_connection(pool) as conn:
            await check_catalog(conn, catalog, database=name)
    except VerifierError as error:
        return _failed(label, error, "correct verifier.toml, or the tables it names")
    return Check(name=label, state=CheckState.OK, detail="every table and column is there")


def _databases(catalog: Catalog) -> tuple[str, ...]:
    return tuple(sorted({entity.database for entity in catalog.entity_types}))


def _failed(name: str, error: Exception, remedy: str) -> Check:
    return Check(name=name, state=CheckState.FAILED, detail=str(error), remedy=remedy)
