"""Taking erased text out of logged reports: pure, on the JSON values that the log holds.

What a report quotes of an erased version goes by its place; what else repeats it, by runs of words that
stand in the erased text. Ids, codes and spans stay: spans are those of the text as it was logged.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

ERASED: Final = "[erased]"
RUN_WORDS: Final = 8
"""So many words in a row that stand in the erased text are taken out; of a shorter text all its words."""
FEWEST_WORDS: Final = 3
SHORTEST_PHRASE: Final = 12
"""Characters of a redacted statement from which on it is also sought in the rest of its report."""
KEPT_NAMES: Final = frozenset(
    {
        "schema",
        "report_id",
        "claim",
        "code",
        "disposition",
        "tier",
        "kind",
        "form",
        "reason",
        "source",
    }
)
TEXT_NAMES: Final = frozenset({"text", "content", "passage", "snippet", "quote", "page_content"})

_WORD: Final = re.compile(r"\w+")
_ESCAPE: Final = re.compile(r'\\(?:u[0-9a-f]{4}|[nrtbf"\\/])')  # "\n" in the text of JSON
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of a hash is lost

Place = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedTexts:
    """What the log holds of a report: the answer, and the JSON values of turn and report."""

    answer: str
    turn: dict[str, Any]
    report: dict[str, Any]


class ErasedWords:
    """The runs of words that stand in erased texts, and in none of the texts that stay."""

    def __init__(self, erased: Iterable[str], *, kept: Iterable[str] = ()) -> None:
        lengths: dict[int, list[NDArray[np.uint64]]] = {}
        for text in erased:
            words = _hash_words(text)
            length = min(RUN_WORDS, len(words))
            if length >= FEWEST_WORDS:
                lengths.setdefault(length, []).append(_hash_runs(words, length))
        staying = [_hash_words(text) for text in kept] if lengths else []
        self._runs = {
            length: np.setdiff1d(
                np.concatenate(runs),
                np.concatenate([_NONE, *(_hash_runs(words, length) for words in staying)]),
            )
            for length, runs in lengths.items()
        }

    def stand_in(self, text: str) -> bool:
        """Return whether a run of erased words stands in the text, or in text written as JSON."""
        words = _hash_words(_ESCAPE.sub(" ", text))
        return any(_find_runs(words, length, runs).size for length, runs in self._runs.items())

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the stretches of the text, as start and end, that runs of erased words cover."""
        words = _hash_words(text)
        covered = np.zeros(len(words), dtype=bool)
        for length, runs in self._runs.items():
            for start in _find_runs(words, length, runs):
                covered[start : start + length] = True
        if not covered.any():
            return []
        spans = [match.span() for match in _WORD.finditer(text)]
        return [(spans[first][0], spans[last][1]) for first, last in _stretches(covered)]


_NONE: Final[NDArray[np.uint64]] = np.zeros(0, dtype=np.uint64)


def _hash_words(text: str) -> NDArray[np.uint64]:
    hashes = [hash(word) for word in _WORD.findall(text.casefold())]
    return np.array(hashes, dtype=np.int64).view(np.uint64)


def _hash_runs(words: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    count = len(words) - length + 1
    if count <= 0:
        return _NONE
    runs = np.zeros(count, dtype=np.uint64)
    for at in range(length):
        runs = runs * _SPREAD + words[at : at + count]
    return runs


def _find_runs(
    words: NDArray[np.uint64], length: int, runs: NDArray[np.uint64]
) -> NDArray[np.intp]:
    found = _hash_runs(words, length)
    if not found.size or not runs.size:
        return np.zeros(0, dtype=np.intp)
    places = np.minimum(np.searchsorted(runs, found), runs.size - 1)
    return np.flatnonzero(runs[places] == found)


def _stretches(covered: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], covered, [False])).astype(np.int8)))
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        yield int(first), int(after) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Redactor:
    """Takes what stands at `places` (key and seq of a version), and `words`, out of logged reports."""

    words: ErasedWords
    places: frozenset[Place]
    _names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Note how the keys are written in JSON, to pass over what names none of them."""
        keys = sorted({key for key, _ in self.places})
        object.__setattr__(
            self, "_names", tuple(json.dumps(key, ensure_ascii=False)[1:-1] for key in keys)
        )

    def concerns(self, answer: str, turn: str, report: str) -> bool:
        """Return whether anything may have to be taken out of texts of JSON; quick, and never wrong by no."""
        return any(
            any(name in text for name in self._names) or self.words.stand_in(text)
            for text in (answer, turn, report)
        )

    def redact(self, logged: LoggedTexts) -> LoggedTexts:
        """Return the report as it may stay: equal to `logged` where it holds nothing of what was erased."""
        resting = [each for each in logged.report.get("verdicts", ()) if self._rests(each)]
        phrases = tuple(_phrases(resting))
        stretches = [
            (each["sentence"][0], each["sentence"][1]) for each in resting if "sentence" in each
        ]
        cleaner = _Cleaner(self, phrases)
        report = cleaner.clean(logged.report)
        report["verdicts"] = [
            _empty_verdict(each) if self._rests(before) else each
            for before, each in zip(
                logged.report.get("verdicts", ()), report.get("verdicts", ()), strict=True
            )
        ]
        if isinstance(report.get("release"), dict):
            claims = {each["claim"] for each in resting if "claim" in each}
            report["release"] = _empty_release(report["release"], claims)
        answer = cleaner.cut(logged.answer, stretches)
        if "answer" in report:
            report["answer"] = answer
        return LoggedTexts(answer=answer, turn=cleaner.clean(logged.turn), report=report)

    def is_place(self, record: dict[str, Any]) -> bool:
        """Return whether a JSON object names an erased version, by source and seq or by a chunk's id."""
        if (record.get("source"), record.get("seq")) in self.places:
            return True
        return any(
            isinstance(value, str) and "#" in value and self._is_chunk_id(value)
            for value in record.values()
        )

    def _is_chunk_id(self, text: str) -> bool:
        version, _, _ = text.rpartition("#")
        key, _, seq = version.rpartition("@")
        return seq.isascii() and seq.isdigit() and (key, int(seq)) in self.places

    def _rests(self, verdict: dict[str, Any]) -> bool:
        findings = verdict.get("findings", ())
        evidence = [*verdict.get("evidence", ()), *(e for f in findings for e in f["evidence"])]
        return any(self.is_place(each["locator"]) for each in evidence)


@dataclass(frozen=True, slots=True)
class _Cleaner:
    """Cleans the values of one report; `phrases` are its statements that rested on what was erased."""

    redactor: Redactor
    phrases: tuple[str, ...]

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value, and the same kind comes back
        if isinstance(value, str):
            return self.cut(value, ())
        if isinstance(value, list):
            return [self.clean(member) for member in value]
        if isinstance(value, dict):
            return self._clean_record(value)
        return value

    def _clean_record(self, record: dict[str, Any]) -> dict[str, Any]:
        cleaned = {
            name: value if name in KEPT_NAMES and isinstance(value, str) else self.clean(value)
            for name, value in record.items()
        }
        locator = record.get("locator")
        quotes = isinstance(locator, dict) and self.redactor.is_place(locator)
        if quotes or self.redactor.is_place(record):
            for name in TEXT_NAMES & cleaned.keys():
                if isinstance(cleaned[name], str):
                    cleaned[name] = ERASED
            if "text_hash" in cleaned:
                cleaned["text_hash"] = ERASED
        if quotes and cleaned.get("note"):
            cleaned["note"] = ERASED
        return cleaned

    def cut(self, text: str, stretches: Sequence[tuple[int, int]]) -> str:
        """Return the text with the stretches, the phrases and all runs of erased words taken out."""
        found = [*stretches, *self.redactor.words.find(text)]
        for phrase in self.phrases:
            start = text.find(phrase)
            while start >= 0:
                found.append((start, start + len(phrase)))
                start = text.find(phrase, start + len(phrase))
        if not found:
            return text
        parts: list[str] = []
        place = 0
        for start, end in _merge(found):
            parts += (text[place:start], ERASED)
            place = end
        return "".join((*parts, text[place:]))


def _merge(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _phrases(resting: Sequence[dict[str, Any]]) -> Iterator[str]:
    for verdict in resting:
        if len(text := verdict.get("text", "").strip()) >= SHORTEST_PHRASE:
            yield text


def _empty_verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict without what it says: its codes, tiers, spans and places stay."""
    emptied = verdict | {"text": ERASED, "detail": ERASED, "assertions": []}
    emptied["findings"] = [_empty(finding) for finding in verdict.get("findings", ())]
    return _empty(emptied)


def _empty(said: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict or finding without detail and values."""
    corrected = None if said.get("corrected_value") is None else ERASED
    values = [ERASED for _ in said.get("values", ())]
    return said | {"detail": ERASED, "corrected_value": corrected, "values": values}


def _empty_release(release: dict[str, Any], claims: set[str]) -> dict[str, Any]:
    """Return the release without what its marks and edits say of the claims."""
    notes = [
        each | {"note": ERASED} if each["claim"] in claims else each
        for each in release.get("annotations", ())
    ]
    edits = [
        each | {"old": ERASED, "new": ERASED} if claims & set(each["claims"]) else each
        for each in release.get("edits", ())
    ]
    return release | {"annotations": notes, "edits": edits}
