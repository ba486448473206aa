"""Structure in a result's text: JSON, what Python prints of its values, and either below a preface."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from verifier.core.facts.plain import holds_others
from verifier.core.json_reading import UnreadableJson, read_json

_OPENINGS: Final = frozenset("{[ \t\r\n")
_DEEPEST: Final = 500
_LONGEST_TOLD: Final = 1_000_000
_TOKEN: Final = re.compile(  # 'it''s', "x", True, Decimal(', the rest of the text
    r"""(?P<text>'(?:[^'\\]|\\.)*+(?:'|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z))
      | (?P<word>\b(?:True|False|None|nan|inf|NaN|Infinity)\b)
      | (?P<open>\b(?:Decimal|UUID|OrderedDict)\((?=['"{]))
      | (?P<close>\))
      | (?P<tuple>\()
      | (?P<comma>,(?=\s{0,20}[\]})]))""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|(['\\\"nrt/])|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_PLAIN_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}
_FAILURE: Final = re.compile(
    r"""\s*(?:an?\s)?(?:error|exception|fatal|failure)\b\s?(?:[:!.\-\n(\[]|$|\d|occurred|while|in\b)
      | \s*(?:traceback\b|failed\sto\b|unable\sto\b|could\snot\b|couldn't\b|timed?\s?out\b
        |internal\sserver\serror|service\sunavailable|bad\sgateway|gateway\stime|permission\sdenied
        |access\sdenied|unauthori[sz]ed|forbidden|not\sfound|rate\slimit|too\smany\srequests
        |tool\s'[^'\n]{1,80}'\stimed\sout\b
        |[45]\d\d\s(?:[a-z]+\s)?(?:error|not\sfound|unavailable|forbidden|unauthori[sz]ed)|\w{1,40}(?:Error|Exception)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CUT_OFF: Final = re.compile(
    r"(?:\.\.\.|…|[\[(<{]\s*(?:output\s+|response\s+|result\s+)?(?:was\s+)?truncated[^\n]{0,80}[\])>}]?|\.\.\.\s*\d+\s+more[^\n]{0,40})\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The value that a text holds, and the text before it."""

    value: object
    preface: str = ""


def find_structure(text: str) -> Structure | None:
    """Return the record or list that a text is, or ends with; None for a text that holds none."""
    stripped = text.strip()
    if stripped[:1] in {"{", "["}:
        value = _read(stripped)
        return None if value is None else Structure(value=value)
    if stripped[-1:] not in {"}", "]"}:
        return None
    start = re.search(r"[{\[]", stripped)
    if start is None:
        return None
    value = _read(stripped[start.start() :])
    return None if value is None else Structure(value=value, preface=stripped[: start.start()])


def looks_structured(text: str) -> bool:
    """Return whether a text begins like a record or list of records, readable or not."""
    return re.match(r"""\s*(?:\{\s*(?:["'}]|\Z)|\[\s*[\[{"'\]])""", text) is not None


def holds_structure(value: object) -> bool:
    """Return whether a value holds others: a record, a list, or text that is one or is too long to tell."""
    if type(value) is str:
        opens = value[:1] in _OPENINGS  # most texts of a record begin with a letter
        return (
            opens
            and looks_structured(value)
            and (len(value) > _LONGEST_TOLD or find_structure(value) is not None)
        )
    return holds_others(value)


def says_failure_in_text(text: str) -> bool:
    """Return whether a plain text reports that the call failed."""
    return _FAILURE.match(text) is not None


def is_cut_off(text: str) -> bool:
    """Return whether a plain text ends in a mark that more of it was left out."""
    return _CUT_OFF.search(text[-200:]) is not None


def _read(text: str) -> object | None:
    for form in (text, None):
        try:
            value = read_json(form if form is not None else _as_json(text), deepest=_DEEPEST)
        except UnreadableJson:
            continue
        if isinstance(value, (dict, list)):
            return value
    return None


def _as_json(text: str) -> str:
    """Return the text of Python values as JSON; what is neither stays and is then refused."""
    closing: list[str] = []

    def replacement(match: re.Match[str]) -> str:
        if match["text"]:
            return json.dumps(_ESCAPE.sub(_unescaped, match["text"][1:-1]))
        if match["word"]:
            return _WORDS.get(match["word"], '"NaN"')
        if match["open"] or match["tuple"]:
            closing.append("]" if match["tuple"] else "")
            return "[" if match["tuple"] else ""
        if match["close"]:
            return closing.pop() if closing else ")"
        return ""

    return _TOKEN.sub(replacement, text)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[3]
    if code:
        return chr(int(code, 16))
    return _PLAIN_ESCAPES.get(match[2], match[2]) if match[2] else match.group()
