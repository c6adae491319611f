"""The scheduler of ranks: what it does otherwise, as ranks start and end together only; and what is seen of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from distributed import Scheduler

from ..dashboard import PrivateDashboardScheduler
from ..scheduler.in_process import InProcessScheduler
from ..scheduler.view import Members

WHY_FIXED = (
    "an MPI program keeps the ranks that it was started with. Create another cluster with as many workers as you "
    "need (n_workers)"
)


class RanksScheduler(PrivateDashboardScheduler):
    """A scheduler whose workers are the ranks of one program, whoever asks it for something.

    Dask's own clients ask it without the supervisor.

    Parameters
    ----------
    begin_anew : callable
        Ends the program and starts it again; returns when that is begun. Told whether only some workers were meant.
    nannies : bool
        Whether each worker has a nanny, so that Dask can restart workers without their ranks.
    """

    def __init__(self, *args: Any, begin_anew: Callable[[bool], Awaitable[None]], nannies: bool, **kwargs: Any) -> None:
        self._begin_anew = begin_anew
        self._nannies = nannies
        super().__init__(*args, **kwargs)

    async def restart_workers(self, workers: Any = None, **options: Any) -> Any:
        """Restart workers: all of them where they are ranks, which Dask would only close and then wait for."""
        if self._nannies:
            return await super().restart_workers(workers, **options)
        waiting = asyncio.ensure_future(super().restart_workers(None, **options))
        try:
            await asyncio.sleep(0)  # First it lets those go that are here.
            await self._begin_anew(workers is not None)
            return await waiting
        finally:
            waiting.cancel()

    async def retire_workers(self, *args: Any, close_workers: bool = False, **options: Any) -> Any:
        """Refuse it, as the end of one rank is the end of all; a nanny's worker may leave to start anew."""
        if self._nannies and not close_workers:
            return await super().retire_workers(*args, close_workers=close_workers, **options)
        raise RuntimeError(f"The workers of this cluster cannot be retired: {WHY_FIXED}.")


# identity() reports the name of the class, and other tools know only this one.
RanksScheduler.__name__ = Scheduler.__name__


class RanksView(InProcessScheduler):
    """The supervisor's view; it also tells when there is no more place for ranks."""

    over: str | None = None
    """Why the cluster ends, in a sentence."""

    def members(self) -> Members:
        found = super().members()
        return found if self.over is None else replace(found, ended=self.over)
