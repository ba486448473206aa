"""At which address a server listens, and which hosts its requests may name."""

from __future__ import annotations

import pytest

from verifier.interfaces.cli.serving import choose_address
from verifier.settings import load_settings


@pytest.mark.parametrize(
    ("host", "port", "listens", "named"),
    [
        (None, None, ("10.0.0.1", 81), "10.0.0.1"),
        ("Box.Example.org", None, ("Box.Example.org", 81), "box.example.org"),
        ("::1", 0, ("::1", 0), "::1"),
        ("0.0.0.0", 8000, ("0.0.0.0", 8000), "0.0.0.0"),  # noqa: S104 -- nothing listens here
    ],
)
def test_options_go_before_settings_and_the_host_may_be_named(
    host: str | None, port: int | None, listens: tuple[str, int], named: str
) -> None:
    settings = load_settings(
        server={"host": "10.0.0.1", "port": 81, "allowed_hosts": ["a.example"]}
    )
    chosen = choose_address(settings, host=host, port=port).server
    assert (chosen.host, chosen.port) == listens
    assert chosen.allowed_hosts == ("a.example", named)
