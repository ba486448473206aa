"""Sources that a sentence names without brackets: "According to source 1, …", "hours.txt says that …"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation, make_citations
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.citations.labels import KnownLabels

_TARGET: Final = r"""(?P<target>
      (?P<noun>[^\W\d_]{3,12}) [ ] \#? [0-9]{1,3}                # source 1
        (?: (?:,[ ]?|[ ](?:and|&)[ ]) [0-9]{1,3} (?!\w) ){0,5}
    | [\w-][\w/@-]{0,80} (?: [.\#] [\w/@-]{1,40} ){1,4} )       # hours.txt, terms@2#0
"""
_SAYS: Final = (
    r"(?:also[ ])?(?:say|state|note|explain|specif|confirm|mention|report|show|describe)\w{0,4}\b"
)
_LED: Final = re.compile(
    rf"""\b (?: according\ to | based\ on | per | as\ (?:stated|described|noted|set\ out|shown)\ (?:in|by)
              | laut | gemäß | según | selon )
        [ ] (?:the[ ])? {_TARGET} (?=[,;:]?\s|[.,;:]|\Z)""",
    re.VERBOSE | re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    rf"""(?:^|(?<=[.!?][ ])) (?:[-*+][ ])? (?:the[ ])? {_TARGET}
        (?= : \s | [ ]{_SAYS} )""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def find_named(text: str, labels: KnownLabels) -> Iterator[list[Citation]]:
    """Yield the citations of each known source that a sentence names as the one that says it."""
    if not labels:
        return
    nouns = load_word_lists("citations")["source_nouns"]
    for pattern in (_LED, _SUBJECT):
        for match in pattern.finditer(text):
            read = labels.read(match["target"])
            named = match["noun"] is None or match["noun"].casefold() in nouns
            if named and read and labels.are_known(read):
                yield make_citations(read, match.start("target"), Span(*match.span("target")))
