"""How often each key may ask: a bucket of requests a key, which fills again with time."""

from __future__ import annotations

import time
from typing import Final

_MOST_BUCKETS: Final = 10_000


class KeyRates:
    """Counts the requests of each key in this process. Only keys that exist have a bucket."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._left: dict[tuple[str, int], tuple[float, float]] = {}

    def take(self, tenant: str, key_id: int) -> float:
        """Take a request from the key's bucket; return for how many seconds to wait where it is empty."""
        now = time.monotonic()
        left, since = self._left.get((tenant, key_id), (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._rate)
        allowed = left >= 1
        self._left[tenant, key_id] = (left - 1 if allowed else left, now)
        if len(self._left) > _MOST_BUCKETS:
            self._drop_full(now)
        return 0.0 if allowed else (1 - left) / self._rate

    def _drop_full(self, now: float) -> None:
        """Forget the keys whose buckets are full again, which is as if they had never asked."""
        for key, (left, since) in list(self._left.items()):
            if left + (now - since) * self._rate >= self._burst:
                del self._left[key]
