"""Results of tools as they were returned, found again by the text that the model was shown of them."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from typing import Final

from verifier.core.plain_json import copy_plain

_MOST: Final = 1_000


class KeptResults:
    """The newest results, of all threads and runs of an agent.

    A result is found by its call and the very text that was made of it, so that no run is answered with
    what another run's tool returned, whatever its calls are named.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, object] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, call_id: object, shown: object, result: object) -> None:
        """Keep a plain copy of `result`; one that can't be copied whole is left to its text."""
        copied = copy_plain(result)
        if not copied.whole:
            return
        with self._lock:
            self._kept[_name(call_id, shown)] = copied.value
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def tell(self, call_id: object, shown: object) -> dict[str, object]:
        """Return the result as the field of a message that holds one; nothing where none is kept."""
        name = _name(call_id, shown)
        with self._lock:
            return {"result": self._kept[name]} if name in self._kept else {}


def _name(call_id: object, shown: object) -> str:
    written = json.dumps([str(call_id), shown], default=str, ensure_ascii=True)
    return hashlib.sha256(written.encode("ascii")).hexdigest()
