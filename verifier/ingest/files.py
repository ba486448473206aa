"""Files and folders as requests: each file its own, an unreadable one an outcome that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.ingest.readers import read_document
from verifier.ingest.requests import IngestOutcome, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from verifier.core.documents import Document
    from verifier.ingest.requests import IngestRequest


def read_requests(
    files: Iterable[Path],
    request: Callable[[Document], IngestRequest],
    *,
    root: Path | None = None,
) -> Iterator[IngestRequest | IngestOutcome]:
    """Yield what `request` makes of each file as it is read, and a failed outcome where it can't be.

    Keys are the paths below `root`, so that files of one name in two folders stay two documents.
    """
    for file in files:
        try:
            yield request(read_document(file, root=root))
        except InputError as error:
            yield IngestOutcome(key=str(file), outcome=Outcome.FAILED, error=str(error))
