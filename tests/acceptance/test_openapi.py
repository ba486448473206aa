"""The server answers as its OpenAPI description says, whatever is sent within and beside it."""

from __future__ import annotations
