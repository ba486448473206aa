"""`verifier ingest`."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.ingest.formats import Format
from verifier.ingest.requests import IngestTerms
from verifier.interfaces.cli.ingest_order import IngestOrder
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.metadata import read_metadata
from verifier.interfaces.cli.moments import read_stored_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK, USAGE

if TYPE_CHECKING:
    from verifier.settings import Settings

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH...", help="Files, folders or URLs; - reads standard input."),
]
Key = Annotated[
    str | None, typer.Option(help="Key of the source: of one file or URL, of -, of --rows.")
]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="What a file is whose suffix does not tell it.")
]
Rows = Annotated[
    str | None,
    typer.Option(help="Table, or SELECT statement, whose rows are ingested; needs --key."),
]
Database = Annotated[
    str | None, typer.Option(help="Where --rows stand, as the settings name it; else the store's.")
]
Fetch = Annotated[
    bool, typer.Option("--fetch", help="Let PATH be a URL; only public addresses are fetched.")
]
By = Annotated[str | None, typer.Option(help="Who ingests; an operator's ingest approves.")]
AllowErased = Annotated[
    bool,
    typer.Option("--allow-erased", help="Let a text come back that was erased; it is recorded."),
]
ValidFrom = Annotated[
    datetime | None,
    typer.Option(parser=read_stored_moment, metavar="MOMENT", help="When the text begins to hold."),
]
ReviewUntil = Annotated[
    datetime | None,
    typer.Option(
        parser=read_stored_moment, metavar="MOMENT", help="Until when it counts as reviewed."
    ),
]
VerifiedBy = Annotated[str | None, typer.Option(help="Who read the text and vouches for it.")]
Authority = Annotated[
    int | None, typer.Option(help="How much the sources count among others; 0 is usual.")
]
ExpectVersion = Annotated[
    int | None, typer.Option(help="Only where this version is current; 0: where none is.")
]
Metadata = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=JSON", help="What filters read, instead of what stands; repeatable."),
]
Manifest = Annotated[
    Path | None, typer.Option(help="CSV with a column `file`, one version a line, in order.")
]
KeyColumn = Annotated[
    str | None,
    typer.Option(help="Column with the key: of a manifest's sources, or of each row of a file."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1, max=64, help="Files of a folder that are read at once; else the setting's."
    ),
]
ValidFromColumn = Annotated[str, typer.Option(help="Its column with the date.")]


def ingest(
    context: typer.Context,
    paths: Paths = None,
    key: Key = None,
    form: FormatOption = None,
    rows: Rows = None,
    database: Database = None,
    fetch: Fetch = False,
    by: By = None,
    valid_from: ValidFrom = None,
    review_until: ReviewUntil = None,
    verified_by: VerifiedBy = None,
    authority: Authority = None,
    expect_version: ExpectVersion = None,
    metadata: Metadata = None,
    manifest: Manifest = None,
    key_column: KeyColumn = None,
    valid_from_column: ValidFromColumn = "valid_from",
    allow_erased: AllowErased = False,
    jobs: Jobs = None,
) -> int:
    """Turn documents into versions of sources. What did not change is left as it is."""
    order = IngestOrder(
        paths=tuple(paths or ()),
        terms=IngestTerms(
            by=by,
            valid_from=valid_from,
            review_until=review_until,
            verified_by=verified_by,
            authority=authority,
            expected_current_version=expect_version,
            metadata=read_metadata(metadata),
            allow_erased=allow_erased,
        ),
        key=key,
        form=form,
        rows=rows,
        database=database,
        manifest=manifest,
        key_column=key_column,
        valid_from_column=valid_from_column,
    )
    invocation = Invocation.of(context)
    settings = invocation.load_settings(fetch_urls="public" if fetch else None, ingest_jobs=jobs)
    return _carry_out(invocation, settings, order)


def _carry_out(invocation: Invocation, settings: "Settings", order: IngestOrder) -> int:
    from verifier.interfaces.cli.ingesting import carry_out
    from verifier.interfaces.cli.render import render_ingest

    progress = ProgressLine("ingesting", as_json=invocation.as_json)
    report = call_service(settings, lambda verifier: carry_out(verifier, order, progress), progress)
    show(invocation, report, lambda: render_ingest(report))
    return USAGE if report.failed else OK
