"""Whether a sentence takes back, limits or denies the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.lead_ins import denies_before
from verifier.core.quotations.senses import denies, has_verb, holds_any, listed
from verifier.core.sentences import BlockKind
from verifier.core.speech import list_words, read_words
from verifier.core.text import content_stems

if TYPE_CHECKING:
    from verifier.core.sentences import Sentence

_SHORT: Final = 4
_LONGEST_FRAGMENT: Final = 12
_OPENING: Final = 4
_REACH: Final = 4
_SHORT_SENTENCE: Final = 8
_EXCEPTION: Final = frozenset({"exception", "exceptions", "exemption", "exemptions"})
_FROM: Final = frozenset({"from", "starting", "beginning", "after"})
_AT_TIMES: Final = frozenset({"on", "in", "during", "at", "for"})
_NOTHING: Final = frozenset({"nothing", "none", "neither"})
_OPPOSITE: Final = frozenset({"opposite", "contrary", "reverse"})
_NOT: Final = frozenset({"not", "never", "no", "hasn't", "haven't", "isn't", "wasn't"})
_LONGEST_TAIL: Final = 2
_ALSO: Final = frozenset({"also", "both", "all", "too"})
_PAST: Final = frozenset({"was", "were", "used"})


def takes_back(behind: Sentence, before: str, *, adjoins: bool) -> bool:
    """Return whether a sentence speaks of the one `before` it, and denies, withdraws or limits it.

    `adjoins` says that both stand in one block: then it may have no verb of its own ("Members only.").
    """
    if behind.block is BlockKind.HEADING:
        return False
    words = read_words(behind.text)
    if not words:
        return False
    apart = denies_before(behind.text) or retracts(words)
    if apart or not adjoins:
        return apart
    return (
        _tells_of_exceptions(words)
        or _goes_on(words, behind.text)
        or _turns(words, before)
        or _refuses(words, before)
    )


def retracts(words: tuple[str, ...]) -> bool:
    """Return whether words deny or end what was said just before them: "In winter it does not."."""
    return _denies_it(words) or _denies_shortly(words) or _ends_it(words)


def _tells_of_exceptions(words: tuple[str, ...]) -> bool:
    """Return whether exceptions are told of: "Some restrictions apply.", "Children are excluded."."""
    if len(words) > _LONGEST_FRAGMENT or "no" in words:
        return False
    if holds_any(words, "excluding") or not _EXCEPTION.isdisjoint(words):
        return True
    return holds_any(words, "exception_nouns") and (
        words[0] in listed("exception_nouns") or holds_any(words, "existing")
    )


def _denies_it(words: tuple[str, ...]) -> bool:
    """Return whether what was said is denied: "On Mondays this is not allowed.", "Children may not."."""
    if words[-1] == "not":
        return True
    if words[0] in {"not", "no"}:
        return words[1:2] == () or words[1] in listed("denied_at_once")
    applying = _applying()
    omits = words[0] in {"does", "do", "is", "are"}
    short = len(words) <= _SHORT_SENTENCE
    for at, word in enumerate(words):
        near = words[max(0, at - 1) : at + _REACH]
        if not denies((word,)) or applying.isdisjoint(near):
            continue
        reach = words if short else words[max(0, at - _REACH) : at]
        if omits or holds_any(reach, "pointers", "back_pointers"):
            return True
    return False


def _denies_shortly(words: tuple[str, ...]) -> bool:
    """Return whether a verb is left out, or all of it is denied or doubted: "It doesn't in winter."."""
    if words[0] in _NOTHING and holds_any(words[1:_OPENING], "pointers"):
        return True
    if len(words) <= _SHORT_SENTENCE and not _OPPOSITE.isdisjoint(words):
        return True
    for at, word in enumerate(words[:-1]):
        points = holds_any(words[max(0, at - _REACH) : at + 2], "pointers")
        omits = word == "not" or word.endswith("n't")
        if points and omits and words[at + 1] in listed("denied_at_once"):
            return True
        if points and word == "whether" and not _applying().isdisjoint(words[at:]):
            return True
    return False


def _applying() -> frozenset[str]:
    return list_words("applying_words") | listed("applicable")


def _ends_it(words: tuple[str, ...]) -> bool:
    """Return whether what was said is ended: "This was changed.", "That used to be the rule.", "Wrong!"."""
    if words[0] in listed("ended") or words[0] in listed("correcting"):
        return True
    if len(words) <= _SHORT and holds_any(words, "taking_back"):
        return True
    places = [at for at, word in enumerate(words) if word in listed("pointers")]
    places += [at for at, word in enumerate(words[:_OPENING]) if word in listed("back_pointers")]
    if not places or not _NOT.isdisjoint(words):
        return False
    at, short = min(places), len(words) <= _SHORT_SENTENCE
    near = words if short else words[at + 1 : at + 1 + _REACH] if at < _OPENING else ()
    if holds_any(near, "taking_back", "ended") or _limits_at_once(words):
        return True
    return not _PAST.isdisjoint(near) and holds_any(words, "rules_of_before")


def _limits_at_once(words: tuple[str, ...]) -> bool:
    """Return whether what was said needs something, or is only what somebody said: "This needs approval."."""
    if words[0] not in listed("pointers"):
        return False
    needs = words[1:2] != () and words[1] in listed("needing") and words[1:3] != ("applies", "to")
    return (needs and not _ALSO.intersection(words)) or (
        "what" in words and holds_any(words, "framing", "reporting")
    )


def _goes_on(words: tuple[str, ...], text: str) -> bool:
    """Return whether it goes on with a limit, and states nothing itself: "Only with a towel."."""
    if len(words) > _LONGEST_FRAGMENT:
        return False
    opening = words[:1]
    if words[0] != "only" and holds_any(opening, "conditions"):
        tail = read_words(text.rpartition(",")[2])  # "Unless they are ill, of course."
        return "," not in text or (words[0] == "unless" and len(tail) <= _LONGEST_TAIL)
    if words[0] in list_words("applying_words"):
        return holds_any(words, "conditions", "restrictions", "circumstances")
    if has_verb(words):
        return False
    return "only" in {words[0], words[-1]} or holds_any(
        opening, "restrictions", "limits", "circumstances"
    )


def _turns(words: tuple[str, ...], before: str) -> bool:
    """Return whether it turns against what was said: "But not after ten.", "However, only members may.".

    A long sentence must share a word with what was said, for "but" mostly adds to it.
    """
    if words[:2] == ("that", "said"):
        words = words[1:]
    elif words[0] not in listed("turns"):
        return False
    if words[1:2] == ("there",):
        return False
    if len(words) <= _LONGEST_FRAGMENT:
        fragment = not has_verb(words) and holds_any(words[1:2], "restrictions")
        return fragment or denies(words) or holds_any(words, "conditions")
    return denies(words) and _shares_word(words, before)


def _refuses(words: tuple[str, ...], before: str) -> bool:
    """Return whether what was spoken of is not to be had at times: "On Mondays the sauna is closed."."""
    if len(words) > _LONGEST_FRAGMENT:
        return False
    changes = words[0] in _FROM and "will" in words
    denied = words[0] in _AT_TIMES and denies(words)
    if not (changes or denied or holds_any(words, "refusing")):
        return False
    return holds_any(words, "pointers") or _shares_word(words, before)


def _shares_word(words: tuple[str, ...], before: str) -> bool:
    return not set(content_stems(before)).isdisjoint(content_stems(" ".join(words)))
