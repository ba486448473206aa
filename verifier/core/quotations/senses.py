"""What words of a text around a quotation do to its sense: deny, limit, date or attribute it."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words

BOUNDARY: Final = re.compile(  # where a denial ends to reach: "; ", ", and ", ": "
    r"[;:]\s|\s[–—-]\s|,\s+(?:and|but|so|yet|while|whereas)\s", re.IGNORECASE
)
CLAUSE: Final = re.compile(r";\s|,\s+(?:and|but|so|yet|while|whereas)\s", re.IGNORECASE)
VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|can|must|may|will|shall|do|does|\w{3,}(?:ed|es|s))\b",
    re.IGNORECASE,
)
NOTE_MARK: Final = re.compile(  # sauna.* sauna†, sauna.[1] sauna¹ sauna (1).
    r"""[.!?]?(?P<sign>\*{1,3}|[†‡§]{1,3})(?=[\s.,;|]|\Z)
      | [.!?]?[ ]?(?P<number>\[(?:\^[\w-]{1,20}|[a-z]|\d{1,3}(?:[,;-][ ]?\d{1,3}){0,20})\](?!\()
        | [¹²³⁰⁴-⁹]{1,2} | \(\d{1,2}\))""",
    re.VERBOSE,
)
_CONTRACTED: Final = ("'ll", "'re", "'ve", "'d", "'m", "n't")
_SHORTEST_PLURAL: Final = 3
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")


class Cut(IntEnum):
    """What was left away: nothing that matters, something a person must weigh, something that turns it."""

    HARMLESS = 0
    OPEN = 1
    ALTERS = 2


def listed(name: str) -> frozenset[str]:
    """Return the words of the list `name`."""
    return load_word_lists("quotations")[name]


def holds_any(words: tuple[str, ...], *names: str) -> bool:
    """Return whether a word is in one of the lists."""
    return any(not listed(name).isdisjoint(words) for name in names)


def denies(words: tuple[str, ...] | set[str]) -> bool:
    """Return whether a word denies what stands beside it."""
    denials = listed("denials")
    return any(word in denials or word.endswith("n't") for word in words)


def opens_with(text: str, name: str) -> bool:
    """Return whether the first word of a text is in the list `name`."""
    words = read_words(text)
    return bool(words) and words[0] in listed(name)


def has_verb(words: tuple[str, ...]) -> bool:
    """Return whether a word is a verb that makes a statement: "is", "costs", "we'll"."""
    verbs = listed("finite_verbs")
    return any(word in verbs or word.endswith(_CONTRACTED) for word in words)


def states(text: str) -> bool:
    """Return whether words have a subject and a verb behind it, and so state something by themselves."""
    words = read_words(text)
    if not words or words[0] in listed("finite_verbs"):
        return False
    return has_verb(words) or _names_doers(words)


def _names_doers(words: tuple[str, ...]) -> bool:
    """Return whether words begin with what may be a plural and its verb: "students travel"."""
    plural = (
        len(words[0]) > _SHORTEST_PLURAL and words[0].endswith("s") and words[0][-2] not in "su"
    )
    return (
        plural and len(words) > 1 and not holds_any(words[1:2], "restrictions", "subject_openers")
    )


def is_framed(lead: str) -> bool:
    """Return whether words that lead into others date, suppose or attribute them.

    "In 2019 the rule read", "Suppose that", "A competitor promises"; not "We promise that", "Section 4 says".
    """
    words = read_words(lead)
    if _YEAR.search(lead) is not None or holds_any(words, "framing", "taking_back"):
        return True
    return holds_any(words, "reporting") and not _is_own(words)


def frames_below(lead: str) -> bool:
    """Return whether a heading, or a line above others, dates, supposes, attributes or withdraws them.

    A year dates rules ("In 2019 our rules read as follows:"), not what is reported of it.
    """
    words = read_words(lead)
    dated = _YEAR.search(lead) is not None and holds_any(words, "dated_rules")
    return dated or holds_any(words, "framing_leads", "taking_back")


def _is_own(words: tuple[str, ...]) -> bool:
    """Return whether who speaks is the text itself or who wrote it."""
    own = listed("own_speakers")
    return any(word in own for word in words)
