"""Rows of a database as records: kept in a temporary file, so that no transaction waits for a model."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.ingest.json_reader import JsonLines
from verifier.ingest.records import Keying, survey_records

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.ingest.files import ReadOptions
    from verifier.ingest.records import RecordRequests
    from verifier.ingest.requests import IngestTerms

_WRITTEN_AT_ONCE: Final = 1_000


@asynccontextmanager
async def exported(
    lines: AsyncIterator[str], terms: IngestTerms, *, key: str, options: ReadOptions
) -> AsyncIterator[RecordRequests]:
    """Yield the rows as requests, as those of a file of JSON lines; `key` is that of their source.

    Raises UnreadableDocument where there is none, InputError where the key column does not tell the rows
    apart or two columns have one name.
    """
    with tempfile.TemporaryDirectory(prefix="verifier-rows-") as folder:
        path = Path(folder) / "rows.jsonl"
        await _write(lines, path)
        stream = JsonLines(
            name=key,
            open_bytes=lambda: path.open("rb"),
            max_bytes=options.limits.max_bytes,
            noun="row",
        )
        keying = Keying(key=key, title=key, column=options.key_column)
        yield await asyncio.to_thread(survey_records, stream, terms, keying)


async def _write(lines: AsyncIterator[str], path: Path) -> None:
    waiting: list[str] = []
    with path.open("w", encoding="utf-8", newline="\n") as file:
        async for line in lines:
            waiting.append(line.replace("\n", " "))
            if len(waiting) == _WRITTEN_AT_ONCE:
                await asyncio.to_thread(file.writelines, [f"{one}\n" for one in waiting])
                waiting.clear()
        file.writelines(f"{one}\n" for one in waiting)
