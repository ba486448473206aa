"""Which addresses of the network may be fetched from: public ones, however they are written."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses that stand for one of IPv4, in their last 32 bits (RFC 6052)."""


def is_public(address: Address) -> bool:
    """Return whether an address, and whatever address of IPv4 it carries, is of the public internet."""
    return all(
        one.is_global and not one.is_multicast and not one.is_reserved
        for one in (address, *_find_carried(address))
        if one not in _TRANSLATED
    )


def _find_carried(address: Address) -> Iterator[Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _TRANSLATED:
        yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


def resolve(host: str, port: int) -> Sequence[Address]:
    """Return the addresses that a name stands for now. Raises InputError where there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host}: no such host ({error})") from None
    told = (str(place[0]).partition("%")[0] for _, _, _, _, place in found)
    return [ipaddress.ip_address(one) for one in dict.fromkeys(told)]


def check_addresses(
    host: str, addresses: Sequence[Address], is_allowed: Callable[[Address], bool]
) -> None:
    """Raise InputError where any of the addresses is none that may be fetched from."""
    refused = next((one for one in addresses if not is_allowed(one)), None)
    if refused is not None or not addresses:
        raise InputError(
            f"{host} is {refused or 'no address'}, which is not of the public internet; nothing is"
            " fetched from private networks, save the page and ingest the file"
        )
