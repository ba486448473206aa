"""The table `[server]` of the settings: where a server listens, for whom, and how much it takes on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_HOST = r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[?[0-9A-Fa-f:.]{2,45}\]?|\*"

Bytes = Annotated[int, Field(ge=1_000, le=1_000_000_000)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


def _lower(host: str) -> str:
    return host.lower().strip("[]")


AllowedHost = Annotated[str, Field(pattern=f"^({_HOST})$"), AfterValidator(_lower)]


class ServerSettings(BaseModel):
    """How a server serves. Requests must name one of `allowed_hosts` (`*.example.org` is any below it).

    `metrics` says who reads `/metrics`: keys of the scope `admin`, or anybody. Bodies are limited by
    `max_body_bytes`, those that bring documents by `max_ingest_bytes`, all of them at once by
    `max_waiting_bytes`. `max_concurrent` requests are answered at a time; a key may ask `key_burst` times
    at once and `key_rate` times a second.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(default="127.0.0.1", min_length=1, max_length=255)
    port: int = Field(default=8000, ge=0, le=65_535)
    allowed_hosts: tuple[AllowedHost, ...] = ("localhost", "127.0.0.1", "::1")
    metrics: Literal["admin", "open"] = "admin"
    max_body_bytes: Bytes = 1_000_000
    max_ingest_bytes: Bytes = 10_000_000
    max_waiting_bytes: Bytes = 256_000_000
    body_timeout_s: Seconds = 30.0
    request_timeout_s: Seconds = 30.0
    ingest_timeout_s: Seconds = 300.0
    stream_timeout_s: Seconds = 600.0
    max_concurrent: int = Field(default=64, ge=1, le=100_000)
    key_rate: float = Field(default=100.0, gt=0, le=1_000_000, allow_inf_nan=False)
    key_burst: int = Field(default=200, ge=1, le=1_000_000)
