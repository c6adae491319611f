"""Ending a submission that uses more than it may."""

import threading
import time
from contextlib import suppress

import psutil

from ..grades import Status
from ..job import Limits
from .keeper import Keeper
from .keeper_process import DistantKeeper
from .processes import resident_bytes

_EVERY_S = 0.1
_WORDS: dict[Status, str] = {
    "time": "the notebook took too long",
    "memory": "it used too much memory",
    "processes": "it started too many processes",
    "threads": "it started too many threads",
}


class ResourceMonitor(threading.Thread):
    """Looks at all processes of a submission, and ends them when together they use too much.

    Parameters
    ----------
    limits : Limits
        How much they may use.
    keeper : Keeper or DistantKeeper
        What they run below.

    Attributes
    ----------
    peak_bytes : int
        Most memory that was in use at once; pages that processes share count once for each.
    exceeded : str or None
        Which limit was passed; "stopped" when the processes could not be inspected any more.
    forgiven : str or None
        Which limit was passed before `go_on`.
    failure : str or None
        Why they could not.
    shared_bytes : int
        What the account's new files in shared memory take that are left at the end.
    """

    def __init__(self, limits: Limits, keeper: Keeper | DistantKeeper) -> None:
        super().__init__(daemon=True)
        self.limits = limits
        self.keeper = keeper
        self.peak_bytes = 0
        self.exceeded: Status | None = None
        self.forgiven: Status | None = None
        self.failure: str | None = None
        self.deadline = time.monotonic() + limits.seconds
        self.shared_bytes = 0
        self._done = threading.Event()
        self._ending = threading.Lock()
        self._ended = True

    def run(self) -> None:
        """Look at all processes again and again."""
        try:
            self._look()
        except Exception as error:  # what is not looked at any more must not go on
            self.failure = f"{type(error).__name__}: {error}"
            self._end("stopped")

    def _look(self) -> None:
        own = psutil.Process()
        at_first = resident_bytes(own)
        while not self._done.wait(_EVERY_S):
            use = self.keeper.use()
            # What the kernel sends is held by this process until it is looked at.
            used = use.bytes + max(0, resident_bytes(own) - at_first)
            self.peak_bytes = max(self.peak_bytes, used)
            if use.processes > self.limits.processes:
                self._end("processes")
            elif use.threads > self.limits.threads:
                self._end("threads")
            elif used > self.limits.memory_bytes:
                self._end("memory")
            elif time.monotonic() > self.deadline:
                self._end("time")

    def stop(self) -> None:
        """Stop looking."""
        self._done.set()
        self.join()
        with suppress(OSError):
            self.shared_bytes = self.keeper.left()

    @property
    def reason(self) -> str:
        """Say which limit was passed, in words that follow "Cell 3:"; empty when none was."""
        return "" if self.exceeded is None else _WORDS.get(self.exceeded, "it was stopped")

    def go_on(self) -> bool:
        """Return whether another kernel can be begun.

        It can after too much memory, which is free again once all is ended that used it. A submission that started too
        many processes or threads does that again in no time, and the time is over for all kernels.
        """
        with self._ending:  # what is begun before its end would be ended as well
            if self.exceeded == "memory" and self._ended:
                self.exceeded, self.forgiven = None, "memory"
            return self.exceeded is None

    def _end(self, why: Status) -> None:
        with self._ending:
            self.exceeded = self.exceeded or why
            self._ended = False
            with suppress(OSError):  # a keeper that has gone has taken all with it
                self._ended = self.keeper.end_all(at_once=True)
