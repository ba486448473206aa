"""Signs that comparing makes alike and that may be others: x² is not x2, a Masse is no Maß."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_RAISED: Final = re.compile(  # x², x^2, 10^{-3}, x<sup>2</sup>
    r"""\^\{?-?(?P<caret>\w{1,8}) | <sup>\s*(?P<tag>[^<>]{1,8}?)\s*</sup> | (?P<signs>[^\W_a-z0-9]+)""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_POWER: Final = (
    re.compile(  # returned.¹, [^1], 1ˢᵗ, 2<sup>nd</sup>, 20 m²: plain digits write the last too
        r"""(?<=[.,;:!?'")\]’”])(?:[⁰¹²³⁴-⁹]+|\^\d{1,3}|<sup>\d{1,3}</sup>) | \[\^[\w-]{1,20}\]
      | (?<=\d)(?:[ˢᵗⁿᵈʳʰᵉ]{1,2}|<sup>[a-z]{1,2}</sup>) | <sup>(?:tm|sm|[®©])</sup> | [ªº]
      | (?:\d\s?|\bper\s|/\s?)(?:[kcdmµ]?m|ft|in|yd|mi)\s?(?:[²³]|\^[23]|<sup>[23]</sup>)""",
        re.VERBOSE | re.IGNORECASE,
    )
)
_SHARP: Final = re.compile(r"[ßẞ]|s\u00ad?s", re.IGNORECASE)


def makes_other_power(quotation: str, original: str) -> bool:
    """Return whether a raised sign of one text is plain in the other, and no note nor power of a unit."""
    return _list_raised(quotation) != _list_raised(original)


def makes_other_word(quotation: str, original: str) -> bool:
    """Return whether ß and ss, which tell words apart, stand for each other; in capitals they do not."""
    written, there = _SHARP.findall(quotation), _SHARP.findall(original)
    return len(written) == len(there) and any(
        one != other and not {one, other} & {"SS", "ẞ"} and one.lower() != other.lower()
        for one, other in zip(written, there, strict=True)
    )


def _list_raised(text: str) -> list[str]:
    found = []
    for match in _RAISED.finditer(_NO_POWER.sub(" ", text)):
        signs = match["caret"] or match["tag"] or _keep_raised(match["signs"])
        if signs:
            found.append(unicodedata.normalize("NFKC", signs).casefold())
    return found


def _keep_raised(signs: str) -> str:
    return "".join(one for one in signs if unicodedata.decomposition(one).startswith("<super>"))
