"""`verifier import`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.importing import ImportOrder, import_table
from verifier.interfaces.cli.invocation import Invocation
from verifier.store.foreign_places import ForeignForm, ForeignPlace

Form = Annotated[ForeignForm, typer.Argument(metavar="langchain|llamaindex")]
Table = Annotated[str | None, typer.Option(help="Its table; the default one if not given.")]
Collection = Annotated[str | None, typer.Option(help="The collection, of LangChain's PGVector.")]
Database = Annotated[
    str | None, typer.Option(help="Where the table is, as the settings name it; else the store's.")
]
Model = Annotated[str | None, typer.Option(help="Model that made the vectors; else the settings'.")]
SourceColumn = Annotated[
    str | None, typer.Option(help="Member of the metadata that names the source of a row.")
]
OrderColumn = Annotated[
    str | None,
    typer.Option(help="Member of the metadata with a number that orders a source's rows."),
]
EachRow = Annotated[bool, typer.Option("--each-row", help="Let each row be a source, by its id.")]
Trust = Annotated[bool, typer.Option("--trust-vectors", help="Embed no sample anew to compare.")]
Skip = Annotated[
    bool, typer.Option("--skip-unusable", help="Leave out rows without text, vector or source.")
]
By = Annotated[str | None, typer.Option(help="Who imports; an operator's import approves.")]
TextColumn = Annotated[str | None, typer.Option(help="Column with the texts.")]
VectorColumn = Annotated[str | None, typer.Option(help="Column with the vectors.")]
IdColumn = Annotated[str | None, typer.Option(help="Column with the ids.")]
MetadataColumn = Annotated[str | None, typer.Option(help="Column with the metadata, as JSON.")]


def import_(
    context: typer.Context,
    form: Form,
    table: Table = None,
    collection: Collection = None,
    database: Database = None,
    model: Model = None,
    source_column: SourceColumn = None,
    order_column: OrderColumn = None,
    each_row: EachRow = False,
    trust_vectors: Trust = False,
    skip_unusable: Skip = False,
    by: By = None,
    text_column: TextColumn = None,
    vector_column: VectorColumn = None,
    id_column: IdColumn = None,
    metadata_column: MetadataColumn = None,
) -> int:
    """Take over a table of LangChain or LlamaIndex with its vectors; what did not change stays."""
    place = ForeignPlace(
        form=form,
        table=table,
        collection=collection,
        id_column=id_column,
        text_column=text_column,
        vector_column=vector_column,
        metadata_column=metadata_column,
    )
    order = ImportOrder(
        place=place,
        source_key=source_column,
        order_key=order_column,
        each_row=each_row,
        database=database,
        trust_vectors=trust_vectors,
        skip_unusable=skip_unusable,
        by=by,
    )
    return import_table(Invocation.of(context), order, model)
