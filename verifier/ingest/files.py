"""Files and folders as requests: each file its own, an unreadable one an outcome that says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.ingest.formats import list_suffixes
from verifier.ingest.readers import DEFAULT_LIMITS, find_documents, read_document
from verifier.ingest.requests import IngestOutcome, IngestRequest, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verifier.ingest.formats import Format
    from verifier.ingest.limits import ReadLimits
    from verifier.ingest.readers import FoundDocuments
    from verifier.ingest.requests import IngestTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRequests:
    """The files of a folder as requests, each read when its turn comes.

    Keys are the paths below `root`, so that files of one name in two folders stay two sources.
    """

    root: Path
    found: FoundDocuments
    terms: IngestTerms
    limits: ReadLimits = DEFAULT_LIMITS

    def __len__(self) -> int:
        return len(self.found.files) + len(self.found.unlistable)

    def __iter__(self) -> Iterator[IngestRequest | IngestOutcome]:
        for folder, reason in self.found.unlistable:
            yield IngestOutcome(
                key=str(folder), outcome=Outcome.FAILED, error=f"{folder}: {reason}"
            )
        for file in self.found.files:
            key = file.relative_to(self.root).as_posix()
            try:
                document = read_document(file, key=key, limits=self.limits)
            except InputError as error:
                yield IngestOutcome(key=key, outcome=Outcome.FAILED, error=str(error))
            else:
                yield IngestRequest(document=document, **self.terms)


def read_path(
    path: Path,
    terms: IngestTerms,
    *,
    key: str | None = None,
    form: Format | None = None,
    limits: ReadLimits = DEFAULT_LIMITS,
) -> FolderRequests | tuple[IngestRequest, ...]:
    """Return the request of a file, or those of all documents below a folder.

    `form` tells the format of a file whose suffix does not. Raises UnreadableDocument where the file can't
    be read or the folder holds no document, InputError where a folder is given a key or a format.
    """
    if path.is_dir():
        if key is not None or form is not None:
            raise InputError(
                f"{path} is a folder; a key names one source, and a format is that of one file"
            )
        found = find_documents(path)
        if not found.files:
            raise InputError(f"{path} holds no files that are read ({list_suffixes()})")
        return FolderRequests(root=path, found=found, terms=terms, limits=limits)
    document = read_document(path, key=key, form=form, limits=limits)
    return (IngestRequest(document=document, **terms),)
