"""The commands, a module each; what is slow to import is imported when a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.interfaces.cli.commands import (
    answers,
    approve,
    audit,
    authority,
    catalog,
    check,
    conflicts,
    db,
    demo,
    deny,
    diff,
    doctor,
    erase,
    evaluation,
    explain,
    importing,
    ingest,
    init,
    keys,
    mcp,
    prompts,
    recheck,
    restore,
    revert,
    reviewed,
    reviews,
    search,
    serve,
    sources,
    spaces,
    validity,
    verify,
    versions,
    withdraw,
)
from verifier.interfaces.cli.examples import write_examples

if TYPE_CHECKING:
    from collections.abc import Callable

    import typer


def register(app: typer.Typer) -> None:
    """Add every command to `app`, in the order in which a newcomer meets them."""

    def add(name: str, command: Callable[..., object]) -> None:
        app.command(name, epilog=write_examples(name))(command)

    add("demo", demo.demo)
    add("init", init.init)
    app.add_typer(db.app, name="db")
    add("ingest", ingest.ingest)
    add("import", importing.import_)
    add("sources", sources.sources)
    add("versions", versions.versions)
    add("approve", approve.approve)
    add("deny", deny.deny)
    add("withdraw", withdraw.withdraw)
    add("restore", restore.restore)
    add("revert", revert.revert)
    add("reviewed", reviewed.reviewed)
    add("validity", validity.validity)
    add("authority", authority.authority)
    add("diff", diff.diff)
    add("erase", erase.erase)
    add("search", search.search)
    app.add_typer(catalog.app, name="catalog")
    add("verify", verify.verify)
    add("check", check.check)
    add("explain", explain.explain)
    add("eval", evaluation.evaluate)
    add("prompts", prompts.prompts)
    app.add_typer(audit.app, name="audit")
    add("recheck", recheck.recheck)
    app.add_typer(answers.app, name="answers")
    app.add_typer(spaces.app, name="spaces")
    app.add_typer(reviews.app, name="reviews")
    app.add_typer(conflicts.app, name="conflicts")
    app.add_typer(keys.app, name="keys")
    add("serve", serve.serve)
    add("mcp", mcp.mcp)
    add("openapi", serve.openapi)
    add("doctor", doctor.doctor)
