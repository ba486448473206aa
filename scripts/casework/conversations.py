"""Stored agent conversations as turn files: every answer with the calls that the agent had made by then.

Calls that the customer made on a device of their own are no evidence: the agent never saw their results.
The operator's policy is the system text, its clock the turn's; prices without a currency are in US dollars.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOMAINS: Final = ("airline", "retail", "telecom")
_CLOCK: Final = re.compile(r"current time is (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) EST")
_ZONE: Final = "America/New_York"


def read_conversations(
    folder: Path, *, domains: tuple[str, ...] = DOMAINS
) -> Iterator[dict[str, Any]]:
    """Yield a turn file's object for every answer of every conversation, in order."""
    for domain in domains:
        stored = json.loads((folder / f"{domain}.json").read_text(encoding="utf-8"))
        policy = stored["info"]["environment_info"]["policy"]
        for number, simulation in enumerate(stored["simulations"]):
            yield from _turns(simulation["messages"], f"{domain}/{number}", policy)


def _turns(messages: list[dict[str, Any]], name: str, policy: str) -> Iterator[dict[str, Any]]:
    shared = {
        "system": policy,
        "scope": "conversation",
        "default_currency": "USD",
        **_clock(policy),
    }
    said: list[str] = []
    calls: dict[str, dict[str, Any]] = {}
    for at, message in enumerate(messages):
        role, text = message["role"], message.get("content")
        if role == "user" and text:
            said.append(text)
        elif role == "tool" and message["id"] in calls:
            calls[message["id"]] |= {"result": text, "ok": not message["error"]}
        elif role == "assistant":
            if text:
                yield {**_exchange(f"{name}/{at}", said, calls), **shared, "answer": text}
            for call in message.get("tool_calls") or ():
                calls[call["id"]] = _call(call, turn=len(said))


def _exchange(turn_id: str, said: list[str], calls: dict[str, dict[str, Any]]) -> dict[str, Any]:
    asked = {"question": said[-1], "said": said[:-1]} if said else {}
    made = [dict(call) for call in calls.values()]
    return {"id": turn_id, **asked, "current_turn": len(said), "calls": made}


def _call(call: dict[str, Any], *, turn: int) -> dict[str, Any]:
    arguments = call.get("arguments") or {}
    return {
        "id": call["id"],
        "tool": call["name"],
        "arguments": arguments if isinstance(arguments, dict) else {},
        "result": None,
        "ok": False,
        "turn": turn,
    }


def _clock(policy: str) -> dict[str, str]:
    found = _CLOCK.search(policy)
    if found is None:
        return {}
    moment = datetime.fromisoformat(found[1]).replace(tzinfo=ZoneInfo(_ZONE))
    return {"now": moment.isoformat(), "timezone": _ZONE}
