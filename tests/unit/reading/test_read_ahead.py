"""Reading several files at once: in order, no more than asked for, and errors where they belong."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from verifier.errors import UnreadableDocument
from verifier.ingest.files import FolderRequests, ReadOptions, read_path
from verifier.ingest.read_ahead import read_ahead
from verifier.ingest.requests import IngestOutcome

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("jobs", [1, 3, 8])
def test_as_many_are_read_at_once_as_asked_for(jobs: int) -> None:
    meeting = threading.Barrier(jobs, timeout=20)
    running, most = 0, 0
    guard = threading.Lock()

    def read(number: int) -> int:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        meeting.wait()
        with guard:
            running -= 1
        return number * number

    found = [(number, reading()) for number, reading in read_ahead(range(24), read, jobs=jobs)]
    assert found == [(number, number * number) for number in range(24)]
    assert most == jobs


def test_an_error_is_raised_where_its_reading_is_asked_for() -> None:
    def read(number: int) -> int:
        if number == 1:
            raise UnreadableDocument("one is broken")
        return number

    told: list[object] = []
    for number, reading in read_ahead(range(3), read, jobs=2):
        try:
            told.append(reading())
        except UnreadableDocument as error:
            told.append(f"{number}: {error}")
    assert told == [0, "1: one is broken", 2]


def test_the_rest_is_not_begun_where_it_is_given_up() -> None:
    begun = []

    def read(number: int) -> int:
        begun.append(number)
        return number

    reading = read_ahead(range(1_000), read, jobs=2)
    assert next(reading)[1]() == 0
    reading.close()  # type: ignore[attr-defined]
    assert len(begun) <= 3


def test_nothing_to_read_is_nothing_read() -> None:
    assert list(read_ahead([], lambda thing: thing, jobs=4)) == []


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_a_folder_reads_alike_whatever_the_jobs(tmp_path: Path, jobs: int) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.md").write_text(f"# Title {number}\n\nText {number}.")
    (tmp_path / "05.md").write_bytes(b"\x00\xff\xfe broken")
    (tmp_path / "06.csv").write_text("id,name\n1,lamp\n2,desk\n")
    found = read_path(tmp_path, {}, options=ReadOptions(jobs=jobs))
    assert isinstance(found, FolderRequests)
    assert list(found) == list(FolderRequests(root=found.root, found=found.found, terms={}))
    failed = [one.key for one in found if isinstance(one, IngestOutcome)]
    assert failed == ["05.md"]
