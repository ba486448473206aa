"""The commands, a module each; what is slow to import is imported when a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.interfaces.cli.commands import (
    approve,
    audit,
    catalog,
    check,
    db,
    demo,
    doctor,
    explain,
    ingest,
    init,
    prompts,
    search,
    sources,
    verify,
)

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add every command to `app`, in the order in which a newcomer meets them."""
    app.command("demo")(demo.demo)
    app.command("init")(init.init)
    app.add_typer(db.app, name="db")
    app.command("ingest")(ingest.ingest)
    app.command("approve")(approve.approve)
    app.command("sources")(sources.sources)
    app.command("search")(search.search)
    app.add_typer(catalog.app, name="catalog")
    app.command("verify")(verify.verify)
    app.command("check")(check.check)
    app.command("explain")(explain.explain)
    app.command("prompts")(prompts.prompts)
    app.add_typer(audit.app, name="audit")
    app.command("doctor")(doctor.doctor)
