"""Which sentence, item or row each mark belongs to: before and behind the stop, below, around."""

from __future__ import annotations

import pytest

from verifier.core.citations import find_citations
from verifier.core.citations.places import assign_citations
from verifier.core.citations.splitting import split_cited

LABELS = ("1", "2", "3")
LIST = "- The lid is steel.\n- The base is oak."
TABLE = "| Part | Stuff |\n|---|---|\n| lid | steel |\n| base | oak |"


def places(answer: str) -> list[list[str]]:
    """Return the labels of each sentence that is left when marks alone went where they belong."""
    citations = find_citations(answer, labels=LABELS)
    found = assign_citations(answer, split_cited(answer, citations), citations)
    return [list(dict.fromkeys(one.label for one in own)) for own in found.values()]


@pytest.mark.parametrize(
    ("lid", "base"),
    [
        ("The lid is steel [{}].", "The base is oak [{}]."),
        ("The lid is steel.[{}]", "The base is oak.[{}]"),
        ("The lid is steel. [{}]", "The base is oak. [{}]"),
        ("The lid is steel. [{}].", "The base is oak. [{}]."),
        ("The lid is steel! [{}]", "Is the base oak? [{}]"),
        ("The lid is steel.［{}］", "The base is oak.［{}］"),
        ("The lid is steel.\\[{}\\]", "The base is oak.\\[{}\\]"),
        ("The lid is steel.&#91;{}&#93;", "The base is oak.&#91;{}&#93;"),
        ("The lid is steel.[**{}**]", "The base is oak.[**{}**]"),
        ("The lid is steel.**[{}]**", "The base is oak.**[{}]**"),
        ("The lid is steel. **[{}]**", "The base is oak. **[{}]**"),
        ("The lid is steel.(source {})", "The base is oak.(source {})"),
        ("The lid is steel. (source {})", "The base is oak. (source {})"),
        ("The lid is steel.[Source {}]", "The base is oak.[Source {}]"),
        ("The lid is steel. [Source {}]", "The base is oak. [Source {}]"),
        ("The lid is steel.<cite>{}</cite>", "The base is oak.<cite>{}</cite>"),
        ("The lid is steel. <cite>{}</cite>", "The base is oak. <cite>{}</cite>"),
        ("The lid is steel.<sup>{}</sup>", "The base is oak.<sup>{}</sup>"),
        ('<cite index="{}">The lid is steel.</cite>', '<cite index="{}">The base is oak.</cite>'),
        (
            '<cite index="{}-4">The lid is steel</cite>.',
            '<cite index="{}-7">The base is oak</cite>.',
        ),
        ("The lid is steel.[{0}](#ref-{0})", "The base is oak.[{0}](#ref-{0})"),
        ("The lid is steel. [[{0}]](#r{0})", "The base is oak. [[{0}]](#r{0})"),
        ("The lid is steel.^{}", "The base is oak.^{}"),
        ("The lid is steel.^[{}]", "The base is oak.^[{}]"),
        ("The lid is steel. 【{}†source】", "The base is oak. 【{}†source】"),
        ('He said "the lid is steel." [{}]', 'She said "the base is oak." [{}]'),
        ('He said "the lid is steel."[{}]', 'She said "the base is oak."[{}]'),
        ('He said "the lid is steel [{}]."', 'She said "the base is oak [{}]."'),
        ("The lid is steel [{}]!", "The base is oak [{}]?"),
        ("According to [{}], the lid is steel.", "As [{}] says, the base is oak."),
        ("The lid is steel. Source: [{}]", "The base is oak. Source: [{}]"),
        ("[{}] The lid is steel.", "[{}] The base is oak."),
        ("**[{}]** The lid is steel.", "**[{}]** The base is oak."),
        ("The lid [{}] is steel.", "The base [{}] is oak."),
    ],
)
@pytest.mark.parametrize("joint", [" ", "\n", "\n\n"])
def test_each_mark_belongs_to_its_own_sentence(lid: str, base: str, joint: str) -> None:
    answer = f"{lid.format(1)}{joint}{base.format(2)}"
    found = [one for one in places(answer) if one]
    assert list(dict.fromkeys(map(tuple, found))) == [("1",), ("2",)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The lid is steel.\n[1]\nThe base is oak.\n[2]", [["1"], ["2"]]),
        ("The lid is steel.\n[1] The base is oak. [2]", [["1"], ["2"]]),
        ("The lid is steel.\n[1] The base is oak.", [[], ["1"]]),
        ("The lid is steel. ¹ The base is oak. ²", [["1"], ["2"]]),
        ("The lid is steel ¹. The base is oak.", [["1"], []]),
        ("The lid is steel. The base is oak. [1]", [[], ["1"]]),
        ("The lid is steel. The base is oak.\n[1]", [[], ["1"]]),
        ("The lid is steel.[1]–[3] The base is oak.", [["1", "2", "3"], []]),
        ("The lid is steel. [1], [2] The base is oak.", [["1", "2"], []]),
        ("The lid is steel.[1][2] [3] The base is oak.", [["1", "2", "3"], []]),
        ("The lid is steel (see [1]). The base is oak.", [["1"], []]),
        (
            '<cite index="1">The lid is steel. The base is oak.</cite> It is red.',
            [["1"], ["1"], []],
        ),
        (
            '<cite index="1">The lid is steel. It is red. The base is oak.</cite>',
            [["1"], ["1"], ["1"]],
        ),
        ("盖子是钢。[1] 底座是木。[2]", [["1"], ["2"]]),
        ("盖子是钢。［1］底座是木。", [["1"], []]),
        ("The lid is steel.\nSource: [1]", [["1"], ["1"]]),
        ("The lid is steel.\n\nSource: [1]", [[], ["1"]]),
        ("The lid is steel. Sources: [1], [2]", [[], ["1", "2"]]),
        ("The lid is steel [1]. Source: [2]", [["1"], ["2"]]),
        ("## Lids\n[1]", [[], ["1"]]),
        (f"{LIST}\n\n[1]", [["1"], ["1"]]),
        (f"{LIST}\n[1]", [["1"], ["1"]]),
        (f"{LIST} [1]", [[], ["1"]]),
        ("- The lid is steel. [2]\n- The base is oak.\n\n[1]", [["2"], ["1"]]),
        (f"Facts [1]:\n{LIST}", [["1"], ["1"], ["1"]]),
        (f"Facts:\n{LIST}", [[], [], []]),
        (f"Facts [1].\n\n{LIST}", [["1"], [], []]),
        (f"Facts [1]:\n{LIST} [2]", [["1"], ["1"], ["2"]]),
        (f"{TABLE}\n\n[1]", [[], ["1"], ["1"]]),
        (f"{TABLE}\n\nThe lid is red.\n\n[1]", [[], [], [], [], ["1"]]),
        (f"{LIST}\n\nThe pot is red. [1]", [[], [], ["1"]]),
    ],
)
def test_what_stands_apart_belongs_to_what_it_follows(
    answer: str, expected: list[list[str]]
) -> None:
    assert places(answer) == expected


@pytest.mark.parametrize(
    ("style", "label"),
    [
        (None, "plan [final].pdf"),
        (None, "a, b.txt"),
        (None, "(a+)+$"),
        (None, "terms and conditions"),
        (None, "מסמך 1"),
        (None, "📄"),
        (None, "x" * 1_200),
        (None, "https://example.org/a?b=1#c"),
        ("<N>", "1"),
        ("(ref. N)", "1"),
        ("|N|", "1"),
        ("⟨N⟩", "plan [final].pdf"),
    ],
)
@pytest.mark.parametrize("space", ["", " "])
def test_a_mark_of_any_label_and_style_stays_with_its_sentence(
    style: str | None, label: str, space: str
) -> None:
    mark = (style or "[N]").replace("N", label)
    answer = f"The lid is steel.{space}{mark} The base is oak.{space}[2]"
    citations = find_citations(answer, labels=(label, "2"), style=style)
    sentences = split_cited(answer, citations)
    found = assign_citations(answer, sentences, citations)
    assert [[one.label for one in own] for own in found.values()] == [[label], ["2"]]
    assert "".join(one.text for one in sentences).replace(" ", "") == answer.replace(" ", "")


def test_what_opens_a_sentence_is_not_taken_for_a_mark_behind_the_stop() -> None:
    answer = "The lid is steel. [Our manual](https://example.org/m) tells it."
    citations = find_citations(answer, sources={"1": "https://example.org/m"})
    sentences = split_cited(answer, citations)
    assert [one.text.split()[0] for one in sentences] == ["The", "[Our"]
