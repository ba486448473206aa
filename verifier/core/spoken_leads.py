"""What leads into a statement and says nothing of its matter: "Yes,", "According to the policy,"."""

from __future__ import annotations

import re
from typing import Final

_NOUN: Final = (
    r"(?:policy|policies|terms(?:\ and\ conditions)?|rules|page|website|site|document(?:s|ation)?"
    r"|sources?|texts?|passages?|excerpts?|guide|guidelines|handbook|manual|article|faqs?|information"
    r"|knowledge\ base)"
)
_GIVEN: Final = r"(?:the|our|your|this|these)\ (?:provided\ |cited\ |given\ )?"
_LEAD: Final = re.compile(
    rf"""\s*(?:
        (?: yes | (?:short\ )?answer | summary | sure | certainly | of\ course | absolutely | overall
          | (?:good|great)\ news
          | (?:in|to)\ (?:short|sum(?:mary)?|brief|sum\ up|summari[sz]e) ) \s*[,:]\s+
      | (?: according\ to | as\ per | per | based\ on | as\ (?:stated|noted|described)\ in )
          \ {_GIVEN}{_NOUN}\s*,\s+
      | {_GIVEN}{_NOUN}\ (?:says?|states?|notes?|explains?|confirms?|specif(?:y|ies))\ that\s+
    )(?=[^\W_]|[*_"“])""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_LEADS: Final = 3


def blank_spoken_leads(text: str) -> str:
    """Return the text with spaces for leads that address the reader, or only name the cited source."""
    start = 0
    for _ in range(_MOST_LEADS):
        lead = _LEAD.match(text, start)
        if lead is None:
            break
        start = lead.end()
    return " " * start + text[start:]
