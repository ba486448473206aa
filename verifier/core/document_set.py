"""The documents that the claims of one check may cite; each is read once while claims of it follow."""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import nlargest
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from verifier.core.absent_values import list_numbers
from verifier.core.cited_statement import judge_statement, keep_readings
from verifier.core.statements import list_stems
from verifier.core.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from verifier.core.narrow_results import NarrowResult
    from verifier.core.statements import ReadingTerms

_LOOKED_THROUGH: Final = 20
_MOST_LIKELY: Final = 5
_WITHOUT_ITS_NUMBERS: Final = 2
_MOST_HOLDERS: Final = 1_000


class DocumentSet:
    """Documents by id, with what was read of the last few and, once indexed, which words each holds."""

    def __init__(self, documents: Mapping[str, str], terms: ReadingTerms) -> None:
        self.documents = documents
        self.terms = terms
        self._read = keep_readings()
        self._holders: Mapping[str, Sequence[str]] | None = None

    def index(self) -> None:
        """Note the words and numbers of each document, so that all of them can be looked through."""
        holders: defaultdict[str, list[str]] = defaultdict(list)
        for name, text in self.documents.items():
            for token in list_numbers(text).union(list_stems(text)):
                holders[token].append(name)
        self._holders = dict(holders)

    def judge(self, text: str, names: Iterable[str]) -> NarrowResult:
        """Return what the documents of these names say of a statement, taken together."""
        cited = {name: clean_text(self.documents[name]) for name in names}
        return judge_statement(text, cited, self.terms, read=self._read)

    def find_likely(self, text: str, apart: Collection[str]) -> Sequence[str]:
        """Return the few documents, without those `apart`, in which a statement is likely to stand.

        They share half of its words or more; those come first that hold its numbers as they are written,
        and others only where none does. Without an index they are the first ones, whatever they hold.
        """
        if self._holders is None:
            others = (name for name in self.documents if name not in apart)
            return tuple(islice(others, _LOOKED_THROUGH))
        words = self._find_holders(self._holders, dict.fromkeys(list_stems(text)))
        numbers = self._find_holders(self._holders, sorted(list_numbers(text)))
        shared, held = (Counter(chain.from_iterable(one)) for one in (words, numbers))
        likely = nlargest(
            _MOST_LIKELY,
            (
                name
                for name in dict.fromkeys(chain(shared, held))
                if name not in apart and 2 * shared[name] >= len(words)
            ),
            key=lambda name: (held[name], shared[name]),
        )
        holding = [name for name in likely if held[name] == len(numbers)]
        return holding or likely[:_WITHOUT_ITS_NUMBERS]

    @staticmethod
    def _find_holders(
        holders: Mapping[str, Sequence[str]], tokens: Iterable[str]
    ) -> list[Sequence[str]]:
        """Return which documents hold each token, without tokens of so many that they tell none apart."""
        found = (holders.get(token, ()) for token in tokens)
        return [one for one in found if len(one) <= _MOST_HOLDERS]
