"""Money: marks, codes and names of currencies before and after an amount, minor units, compounds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.currencies import currency_family, is_currency
from verifier.core.quantities.tokens import DIGITS, IDEOGRAPH, SYMBOL, WORD
from verifier.core.tables import read_table

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_WORDLIKE_CODES: Final = frozenset(
    {
        "ALL",
        "TOP",
        "TRY",
        "CUP",
        "MOP",
        "PEN",
        "SOS",
        "LAK",
        "GEL",
        "BAM",
        "ANG",
        "CHE",
        "COU",
        "XXX",
        "STD",
        "BOB",
        "MAD",
        "RON",
        "WST",
        "SIT",
        "ITL",
        "PAB",
    }
)
_LOWER_CODES: Final = frozenset(
    {
        "usd",
        "eur",
        "gbp",
        "cad",
        "aud",
        "jpy",
        "inr",
        "chf",
        "cny",
        "nzd",
        "mxn",
        "sgd",
        "hkd",
        "sek",
        "nok",
        "dkk",
        "pln",
        "krw",
        "brl",
        "zar",
        "rmb",
        "aed",
        "btc",
    }
)
_SCALED_CODES: Final = {
    "k": 1000,
    "K": 1000,
    "T": 1000,
    "M": 10**6,
    "m": 10**6,
    "MM": 10**6,
    "mn": 10**6,
    "B": 10**9,
    "bn": 10**9,
}
_LONGEST_NAME: Final = 3


class Tender(NamedTuple):
    """A currency as written: code or open mark, the index after it, what one of it is worth in major units.

    `scale` is the magnitude of `MEUR`; `parts` is 100 for cents.
    """

    code: str
    end: int
    stops: int
    parts: int = 1
    scale: int = 1


@cache
def _table(name: str) -> dict[str, str]:
    table: dict[str, str] = read_table("currencies")[name]
    return table


@cache
def _minor_table() -> dict[str, tuple[str, int]]:
    return {
        word: (code, parts)
        for word, (code, parts) in read_table("currencies")["minor_names"].items()
    }


@cache
def _name_starts() -> frozenset[str]:
    return frozenset(name.split()[0] for name in [*_table("names"), *_minor_table()])


def tender_before(stream: Stream, index: int) -> Tender | None:
    """Return the currency mark or code at token `index`, in front of its amount, or None."""
    word = stream.words[index]
    if stream.kinds[index] == SYMBOL:
        code = _table("symbols").get(word)
        return Tender(code, index + 1, stream.ends[index]) if code and code != "cent" else None
    following = stream.words[index + 1]
    if following in {"$", "¥", "£", "＄"} and stream.starts[index + 1] - stream.ends[index] <= 1:
        return _lettered(stream, index, following)
    return _code_before(stream, index)


def _lettered(stream: Stream, index: int, sign: str) -> Tender | None:
    """Return `US$`, `C$`, `hk $`, `usd$` as one mark."""
    word = stream.folds[index]
    code = _table("prefixed_dollars").get(word) if sign in "$＄" else None
    if sign == "¥" and word in {"cn", "jp"}:
        code = "CNY" if word == "cn" else "JPY"
    if code is None and is_currency(word.upper()):
        code = word.upper()
    if code is None or (len(word) == 1 and stream.words[index].islower() and word != "c"):
        return None
    return Tender(code, index + 2, stream.ends[index + 1])


def _code_before(stream: Stream, index: int) -> Tender | None:
    word = stream.words[index]
    end = index + 2 if stream.words[index + 1] == "." and word in {"Rs", "Fr", "kr"} else index + 1
    code = _table("marks").get(word) if not (word == "Fr" and end == index + 1) else None
    if code is None:
        code = _as_code(word)
        if code in _WORDLIKE_CODES and not stream.glued(index + 1):
            return None
    return Tender(code, end, stream.ends[end - 1]) if code else None


def _as_code(word: str) -> str | None:
    if len(word) != 3:
        return None
    if word.isupper() or word in _LOWER_CODES:
        upper = "CNY" if word.upper() == "RMB" else "XBT" if word.upper() == "BTC" else word.upper()
        return upper if is_currency(upper) else None
    return None


def tender_after(stream: Stream, index: int) -> Tender | None:
    """Return the currency mark, code or name at token `index`, behind its amount, or None."""
    word, kind = stream.words[index], stream.kinds[index]
    if word == "-" and stream.glued(index) and stream.glued(index + 1):
        return _named(stream, index + 1)
    if kind == SYMBOL:
        return _symbol_after(stream, index)
    if kind not in {WORD, IDEOGRAPH}:
        return None
    return _named(stream, index) or _coded(stream, index) or _script_mark(stream, index)


def _symbol_after(stream: Stream, index: int) -> Tender | None:
    code = _table("symbols").get(stream.words[index])
    if code is None:
        return None
    if stream.kinds[index + 1] == "n" and (stream.glued(index + 1) or not stream.glued(index)):
        return None if _owns_next(stream, index) else Tender(code, index + 1, stream.ends[index])
    parts = 100 if code == "cent" else 1
    return Tender(code, index + 1, stream.ends[index], parts)


def _owns_next(stream: Stream, index: int) -> bool:
    """Return whether a sign between two numbers belongs to the second (`1 $10`), not to the first."""
    return stream.glued(index + 1) and not stream.glued(index)


def _named(stream: Stream, index: int) -> Tender | None:
    if stream.folds[index] not in _name_starts():
        return None
    for length in range(_LONGEST_NAME, 0, -1):
        if stream.kinds[index + length - 1] not in {WORD, SYMBOL}:
            continue
        phrase = stream.phrase(index, length).replace(" . ", ".")
        end = index + length
        if phrase in _table("names"):
            return Tender(_table("names")[phrase], end, stream.ends[end - 1])
        if phrase in _minor_table() and (
            phrase != "p" or (stream.glued(index) and len(stream.words[index - 1]) < 3)
        ):
            code, parts = _minor_table()[phrase]
            return Tender(code, end, stream.ends[end - 1], parts)
    return None


def _coded(stream: Stream, index: int) -> Tender | None:
    word = stream.words[index]
    signed = stream.words[index + 1] in {"$", "¥"} and stream.glued(index + 1)
    code = _as_code(word) or _table("marks").get(word)
    if code:
        if stream.glued(index + 1) and stream.kinds[index + 1] == DIGITS:
            return None
        return Tender(code, index + 1 + signed, stream.ends[index + signed])
    return (tender_before(stream, index) if signed else None) or _scaled_code(stream, index)


def _scaled_code(stream: Stream, index: int) -> Tender | None:
    """Return `MEUR`, `kUSD`, `M€` with the magnitude that their first letters say, or None."""
    word, sign = stream.words[index], stream.words[index + 1]
    for length in (1, 2):
        scale, inner = _SCALED_CODES.get(word[:length]), word[length:]
        if scale and len(inner) == 3 and inner.isupper() and is_currency(inner):
            return Tender(inner, index + 1, stream.ends[index], 1, scale)
    if word in _SCALED_CODES and sign in _table("symbols") and stream.glued(index + 1):
        stops = stream.ends[index + 1]
        return Tender(_table("symbols")[sign], index + 2, stops, 1, _SCALED_CODES[word])
    return None


def _script_mark(stream: Stream, index: int) -> Tender | None:
    if ord(stream.words[index][0]) < 0x600:
        return None
    start = stream.starts[index]
    for length in range(min(6, len(stream.text) - start), 0, -1):
        code = _table("marks").get(stream.text[start : start + length])
        if code:
            end = index + 1
            while stream.starts[end] < start + length and end < stream.count:
                end += 1
            return Tender(code, end, start + length)
    return None


def settle_currency(code: str, default: str | None) -> tuple[str | None, str | None]:
    """Return the currency of a mark and, where it stays open, the mark itself."""
    family = currency_family(code)
    if not family:
        return code, None
    if default and default in family:
        return default, None
    return None, code


@cache
def tender_words() -> frozenset[str]:
    """Return the first words of all currency names, codes and marks, case-folded."""
    lexicon = read_table("currencies")
    codes = [code for codes in lexicon["minor_units"].values() for code in codes.split()]
    scaled = [letter + code for letter in ("m", "k", "b", "mn", "bn") for code in codes]
    names = [
        *lexicon["marks"],
        *lexicon["prefixed_dollars"],
        *codes,
        *scaled,
        *_name_starts(),
        "rmb",
        "btc",
    ]
    return frozenset(name.lower().rstrip(".") for name in names)
