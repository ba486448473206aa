"""The rows of another store, kept in a file while they are taken over.

So none of its transactions waits for ours, rows of one source come together whatever their order there,
and neither texts nor vectors have to fit memory.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.core.documents import hash_input
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.documents import InputHash
    from verifier.ingest.foreign_rows import TakenRow

_CREATE: Final = """
    CREATE TABLE taken (
        number INTEGER PRIMARY KEY,
        source TEXT, position REAL, place INTEGER, row_id TEXT, text TEXT, input TEXT, metadata TEXT,
        alike BLOB, vector BLOB, dimension INTEGER, input_hash BLOB)
"""
_ADD: Final = """
    INSERT INTO taken (source, position, place, row_id, text, input, metadata, alike, vector, dimension,
                       input_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEPT: Final = attrgetter(
    *("source", "position", "place", "row_id", "text", "embedded_input", "metadata"),
    *("alike", "vector", "dimension"),
)
_COUNT_DIMENSIONS: Final = (
    "SELECT dimension, count(*) FROM taken GROUP BY dimension ORDER BY 2 DESC"
)
_DELETE_DIMENSIONS: Final = "DELETE FROM taken WHERE dimension <> ?"
_DELETE_SAME_ID: Final = """
    DELETE FROM taken
     WHERE number IN (SELECT number
                        FROM (SELECT number, row_number() OVER (PARTITION BY row_id
                                                                    ORDER BY place DESC, number DESC) AS nth
                                FROM taken
                               WHERE row_id IS NOT NULL)
                       WHERE nth > 1)
"""
_DELETE_REPEATED: Final = """
    DELETE FROM taken
     WHERE number IN (SELECT number
                        FROM (SELECT number, row_number() OVER (PARTITION BY source, text
                                                                    ORDER BY position, place, number) AS nth
                                FROM taken)
                       WHERE nth > 1)
"""
_COUNT_ALIKE: Final = """
    SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM taken GROUP BY source, alike)
"""
_COUNT_SOURCES: Final = "SELECT count(DISTINCT source) FROM taken"
_COUNT: Final = "SELECT count(*) FROM taken"
_SAMPLE: Final = """
    SELECT text, input, vector
      FROM (SELECT text, input, vector, row_number() OVER (ORDER BY number) AS nth, count(*) OVER () AS n
              FROM taken)
     WHERE (nth - 1) % max(n / ?, 1) = 0
     LIMIT ?
"""
_READ: Final = """
    SELECT source, row_id, text, input, input_hash, metadata
      FROM taken
     ORDER BY source, position, place, number
"""
_FIND_VECTOR: Final = "SELECT vector FROM taken WHERE input_hash = ? LIMIT 1"
_WRITE_INPUT: Final = "UPDATE taken SET input = text, input_hash = ? WHERE number = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A row to compare: its text, what it may have been embedded as, and its vector, float32."""

    text: str
    embedded_input: str
    vector: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """A row as it becomes a chunk."""

    source: str
    row_id: str | None
    text: str
    embedded_input: str
    input_hash: InputHash
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetitions:
    """Rows that say a thing again. The first two kinds were left out.

    `same_id` had the id of a later row, `repeated` the text of another row of their source; `alike` differ
    from another of their source in letter case, white space or typography alone, and stayed.
    """

    same_id: int
    repeated: int
    alike: int


@contextmanager
def keeping_rows() -> Iterator[TakenRows]:
    """Yield a place for rows, in a file that goes with it. Raises InputError where they find no room."""
    with tempfile.TemporaryDirectory(prefix="verifier-import-") as folder:
        try:
            with closing(TakenRows(Path(folder) / "rows")) as rows:
                yield rows
        except sqlite3.Error as error:
            raise InputError(
                f"the rows can't be kept in {folder} meanwhile ({error}); make room there, or set TMPDIR"
            ) from error


class TakenRows:
    """Rows in a file that is made for them. Its methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", _CREATE):
            self._file.execute(statement)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def add(self, rows: Sequence[TakenRow]) -> None:
        """Keep rows, in the order in which they were read."""
        with self._lock:
            self._file.execute("BEGIN")
            self._file.executemany(
                _ADD, [(*_KEPT(row), hash_input(row.embedded_input)) for row in rows]
            )
            self._file.execute("COMMIT")

    def count_dimensions(self) -> dict[int, int]:
        """Return how many rows have vectors of each dimension, the commonest first."""
        with self._lock:
            return dict(self._file.execute(_COUNT_DIMENSIONS).fetchall())

    def leave_out_repeated(self, dimension: int) -> Repetitions:
        """Take out rows of other dimensions and those that another row makes needless, and count them."""
        with self._lock:
            self._file.execute(_DELETE_DIMENSIONS, (dimension,))
            same_id = self._file.execute(_DELETE_SAME_ID).rowcount
            repeated = self._file.execute(_DELETE_REPEATED).rowcount
            [alike] = self._file.execute(_COUNT_ALIKE).fetchone()
        return Repetitions(same_id=same_id, repeated=repeated, alike=alike)

    def count(self) -> tuple[int, int]:
        """Return how many rows and how many sources there are."""
        with self._lock:
            return (
                self._file.execute(_COUNT).fetchone()[0],
                self._file.execute(_COUNT_SOURCES).fetchone()[0],
            )

    def sample(self, size: int) -> list[Sample]:
        """Return up to `size` rows, spread over all."""
        with self._lock:
            rows = self._file.execute(_SAMPLE, (size, size)).fetchall()
        return [
            Sample(text=text, embedded_input=told, vector=vector) for text, told, vector in rows
        ]

    def take_texts_as_inputs(self) -> None:
        """Let every row's text alone be what was embedded."""
        with self._lock:
            rows = self._file.execute(
                "SELECT number, text FROM taken WHERE input <> text"
            ).fetchall()
            self._file.execute("BEGIN")
            self._file.executemany(
                _WRITE_INPUT, ((hash_input(text), number) for number, text in rows)
            )
            self._file.execute("COMMIT")

    def index(self) -> None:
        """Make vectors quick to find; call it once all rows are there."""
        with self._lock:
            self._file.execute("CREATE INDEX by_input ON taken (input_hash)")

    def find_vector(self, input_hash: InputHash) -> bytes | None:
        """Return the vector of that input as float32 numbers, if a row has it."""
        with self._lock:
            row = self._file.execute(_FIND_VECTOR, (input_hash,)).fetchone()
        return None if row is None else row[0]

    def read(self) -> Iterator[StoredRow]:
        """Yield the rows source by source, in order."""
        with closing(sqlite3.connect(self._path, check_same_thread=False)) as file:
            for source, row_id, text, told, input_hash, metadata in file.execute(_READ):
                yield StoredRow(
                    source=source,
                    row_id=row_id,
                    text=text,
                    embedded_input=told,
                    input_hash=input_hash,
                    metadata=metadata,
                )
