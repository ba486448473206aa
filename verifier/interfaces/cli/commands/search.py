"""`verifier search`."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.core.search_options import (
    MOST_HITS,
    MOST_NEIGHBOURS,
    MOST_RERANKED,
    SearchMode,
)
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine

Query = Annotated[str, typer.Argument(help="What to look for, in plain words.")]
K = Annotated[int, typer.Option("-k", min=1, max=MOST_HITS, help="How many hits.")]
FilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="CONDITION",
        help="Of sources whose metadata match: pages>=10, lang=de, draft (is there), !draft, or JSON."
        " Repeated, all must hold.",
    ),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option("--source", metavar="KEY", help="Of this source; repeated, of these."),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(parser=read_moment, metavar="MOMENT", help="What held then, not now."),
]
Basis = Annotated[
    int | None, typer.Option(min=0, help="What was known at this basis; results tell theirs.")
]
KnownAt = Annotated[
    datetime | None,
    typer.Option(parser=read_moment, metavar="MOMENT", help="What was known then, not now."),
]
Mode = Annotated[SearchMode, typer.Option(help="By meaning (vector), by words, or by both.")]
MinSimilarity = Annotated[
    float | None, typer.Option(min=-1, max=1, help="Leave out what is less similar.")
]
PerSource = Annotated[
    int | None, typer.Option(min=1, max=MOST_HITS, help="At most so many hits a source.")
]
Neighbours = Annotated[
    int,
    typer.Option(min=0, max=MOST_NEIGHBOURS, help="Show so many chunks around each hit, too."),
]
Rerank = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_RERANKED,
        help="Put so many first hits in the order of the setting `reranker`, and show k of them.",
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Tell how it was found, and how long it took.")
]


def search(
    context: typer.Context,
    query: Query,
    k: K = 5,
    filters: FilterOption = None,
    sources: SourceOption = None,
    as_of: AsOf = None,
    basis: Basis = None,
    known_at: KnownAt = None,
    mode: Mode = SearchMode.VECTOR,
    min_similarity: MinSimilarity = None,
    per_source: PerSource = None,
    neighbours: Neighbours = 0,
    rerank: Rerank = None,
    explain: Explain = False,
) -> None:
    """Show the passages nearest to a query. Only of approved sources, and of now unless told."""
    from verifier.core.filter_reading import read_filter_texts
    from verifier.core.search_options import SearchTerms
    from verifier.interfaces.cli.render_search import render_search

    invocation = Invocation.of(context)
    terms = SearchTerms(k=k, filters=read_filter_texts(filters or ()), sources=sources or None)
    terms |= SearchTerms(as_of=as_of, basis=basis, mode=mode, min_similarity=min_similarity)
    terms |= SearchTerms(per_source=per_source, neighbours=neighbours, explain=explain)
    terms |= SearchTerms(known_at=known_at, rerank=rerank)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.semantic_search(query, **terms),
        ProgressLine("loading the model and searching", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_search(found))
