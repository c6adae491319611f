"""The routine checks of a supervisor: each second, whatever went wrong the second before."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..backends.causes import cause_of
from ..protocol.messages import MessageCode
from .state_store import StateStore

logger = logging.getLogger("gpucluster.supervisor")

CHECK_SECONDS = 1.0


class RoutineChecks:
    """Does the checks of one cluster once a second, until it is to stop.

    A check that fails ends nothing: the cause becomes the cluster's notice, is logged once, and the next second comes.

    Parameters
    ----------
    store : StateStore
        Has the cluster as it is now.
    *checks : callable
        What is done, in this order.
    """

    def __init__(self, store: StateStore, *checks: Callable[[], None]) -> None:
        self._store = store
        self._checks = checks
        self._told: str | None = None

    async def run(self) -> None:
        """Check until the cluster is to stop."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            failed: dict[str, Exception] = {}
            for check in self._checks:
                if self._store.model.wanted.stopped:
                    return
                try:
                    check()
                except Exception as error:
                    failed[check.__name__] = error
            self._tell(failed)

    def _tell(self, failed: dict[str, Exception]) -> None:
        before, self._told = self._told, None
        if failed:
            causes = ", ".join(dict.fromkeys(cause_of(error) for error in failed.values()))
            self._told = f"The cluster's process cannot look after the cluster ({causes}); see the log."
        if self._told == before:
            return
        for name, error in failed.items():
            logger.error("The step '%s' of each second failed", name.strip("_"), exc_info=error)
        if self._store.model.notice in {None, before}:
            self._store.update(say={MessageCode.NOTICE: self._told})
