"""Taking erased words out of logged reports: runs of words, places, statements that rested on them."""

from __future__ import annotations

import json

import pytest

from verifier.store.redaction import ERASED, ErasedWords, LoggedTexts, Redactor

TEXT = "Anna Meier of Lindenweg 12 in Bern may return her three blue lamps until March."

CUTS = {
    "the whole": (TEXT, ERASED + "."),
    "inside other words": (f"She said: {TEXT} And more.", f"She said: {ERASED}. And more."),
    "other spaces, marks and case": (
        "ANNA  MEIER,\nof Lindenweg 12 (in Bern), may return!",
        f"{ERASED}!",
    ),
    "seven words in a row stay": (
        "Anna Meier of Lindenweg 12 in Bern",
        "Anna Meier of Lindenweg 12 in Bern",
    ),
    "words in another order stay": (
        "lamps blue three her return may Bern in 12 Lindenweg of Meier Anna",
        "lamps blue three her return may Bern in 12 Lindenweg of Meier Anna",
    ),
    "twice": (f"{TEXT} Or: {TEXT}", f"{ERASED}. Or: {ERASED}."),
    "nothing": ("", ""),
}


def cut(text: str, words: ErasedWords) -> str:
    logged = LoggedTexts(answer=text, turn={}, report={"verdicts": []})
    return Redactor(words=words, places=frozenset()).redact(logged).answer


@pytest.mark.parametrize("name", CUTS)
def test_runs_of_words(name: str) -> None:
    text, expected = CUTS[name]
    assert cut(text, ErasedWords([TEXT])) == expected


def test_what_other_texts_say_too_stays() -> None:
    kept = "May return her three blue lamps until March: so may everybody."
    words = ErasedWords([TEXT], kept=[kept])
    assert cut(kept, words) == kept
    assert cut(TEXT, words) != TEXT


def test_a_short_text_goes_as_a_whole_and_a_shorter_one_only_by_its_place() -> None:
    assert cut("Call Anna Meier today.", ErasedWords(["Anna Meier today"])) == f"Call {ERASED}."
    assert cut("Yes, Anna.", ErasedWords(["Anna"])) == "Yes, Anna."


def test_texts_without_words_are_no_runs() -> None:
    for text in ("", " \n", "…!", "\u202e"):
        assert cut("Anything at all …!", ErasedWords([text])) == "Anything at all …!"


@pytest.mark.parametrize("escaped", ["\n", '"', "\\", "\t", "\u0007"])
def test_nothing_is_passed_over_by_the_quick_look(escaped: str) -> None:
    said = f"Well:{escaped}{TEXT.replace(' ', escaped)}{escaped}"
    redactor = Redactor(words=ErasedWords([TEXT]), places=frozenset({("a/ä", 2)}))
    assert redactor.concerns("", json.dumps({"q": said}, ensure_ascii=False), "{}")
    assert not redactor.concerns("", json.dumps({"q": "Well."}), "{}")
    assert redactor.concerns("", "{}", json.dumps({"source": "a/ä"}, ensure_ascii=False))


def test_places_are_a_source_with_a_seq_and_a_chunks_id() -> None:
    redactor = Redactor(words=ErasedWords([]), places=frozenset({("a@1#b", 2)}))
    assert redactor.is_place({"source": "a@1#b", "seq": 2})
    assert redactor.is_place({"id": "a@1#b@2#7"})
    for other in (
        {"source": "a@1#b", "seq": 3},
        {"id": "a@1#b@3#7"},
        {"id": "#"},
        {"id": "a@²#1"},
        {},
    ):
        assert not redactor.is_place(other)
