"""How long a rank looks again and again for what may come, before it sleeps until its bell is rung.

To be woken takes longer than most messages: the kernel has to find a processor, which may itself sleep. To look again
and again takes a processor from others. So a rank looks only as long as that has paid lately: when its bell wakes it
soon after it has gone to sleep, it looks twice as long the next time, and when it had been asleep for long, half as
long. That is how Linux decides how long an idle processor of a virtual machine polls (``haltpoll``).
"""

from __future__ import annotations

LONGEST_SECONDS = 0.0004
"""What a rank waits for at most without sleeping: an answer to a question is there sooner, or takes some time."""
SHORTEST_SECONDS = 0.00005


class Pacing:
    """Of one rank. Times are those of ``time.perf_counter``."""

    def __init__(self) -> None:
        self.window = SHORTEST_SECONDS
        """So long it looks after something has come or gone; 0: it sleeps at once."""
        self._asleep_since: float | None = None

    def sleeps(self, now: float) -> None:
        """Note that it has looked in vain, and sleeps."""
        if self._asleep_since is None:
            self._asleep_since = now

    def woken(self, now: float) -> None:
        """Note that it was woken by its bell: if that was soon, to look for longer would have been better."""
        since, self._asleep_since = self._asleep_since, None
        if since is None:
            return  # It was looking.
        if now - since <= LONGEST_SECONDS:
            self.window = min(max(2 * self.window, SHORTEST_SECONDS), LONGEST_SECONDS)
        else:
            self.window = self.window / 2 if self.window > SHORTEST_SECONDS else 0.0
