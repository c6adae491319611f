"""Take workers out of a cluster without losing what they hold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection

from ..backends.deployment import Deployment, SlotState
from ..backends.scheduler.view import Member, Members, Retired, SchedulerView
from .activity_log import WorkerTitles

LOOK_SECONDS = 0.1
RELEASE_SECONDS = 30.0  # Timeout for a released worker to be gone.
READY_SECONDS = 30.0  # How long results wait for a new worker that can take some.


def alone(members: Members, name: str) -> bool:
    """Whether that worker is connected and no other is ready: a new one takes no results yet."""
    others = [worker for worker in _staying(members, {name}) if worker.ready]
    return not others and bool(members.named({name}))


def _staying(members: Members, leaving: Collection[str]) -> list[Member]:
    return [worker for worker in members.workers if worker.name not in leaving]


async def _until_one_is_ready(scheduler: SchedulerView, leaving: Collection[str], go_on: Callable[[], bool]) -> None:
    """Wait until one of the staying workers is ready: new ones take results a moment later."""
    deadline = time.monotonic() + READY_SECONDS
    while go_on() and time.monotonic() < deadline:
        members = scheduler.members()
        staying = _staying(members, leaving)
        if not staying or any(worker.ready for worker in staying):
            return
        if not any(worker.holds for worker in members.named(leaving)):
            return
        await asyncio.sleep(LOOK_SECONDS)
        await scheduler.refresh()


async def retire_worker(
    deployment: Deployment, name: str, titles: WorkerTitles, *, last: Callable[[], bool]
) -> str | None:
    """Move a worker's results to the others, then end it; returns why it stays. `last`: whether none is wanted then."""
    await deployment.scheduler.refresh()
    await _until_one_is_ready(deployment.scheduler, {name}, lambda: not last())
    members = deployment.scheduler.members()
    worker = next(iter(members.named({name})), None)
    if worker is not None and worker.holds and not last() and alone(members, name):
        return (
            f"{titles.of(name)} was not retired: there is no other worker to take its results. Scale to 0 workers to "
            "discard them."
        )
    if worker is not None and len(members.workers) > 1:
        retired = await _retire_while(deployment.scheduler, {name}, lambda: True)
        await deployment.scheduler.refresh()
        if retired.kept and not (last() and alone(deployment.scheduler.members(), name)):
            what = "actors, which cannot be moved" if worker.actors else "results that no other worker has room for"
            return f"{titles.of(name)} was not retired: it holds {what}."
    await deployment.release({name})
    # Until it is gone: a new worker may get the name, which on a GPU is the device's.
    deadline = time.monotonic() + RELEASE_SECONDS
    while _leaves(deployment, name) and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
        await deployment.scheduler.refresh()
    return None


def _leaves(deployment: Deployment, name: str) -> bool:
    return any(slot.name == name and slot.state is SlotState.LEAVING for slot in deployment.slots())


async def move_results(
    deployment: Deployment, names: Collection[str], titles: WorkerTitles, go_on: Callable[[], bool]
) -> str | None:
    """Move the results of workers that will be ended, while `go_on`; returns a text on what will be lost, if any."""
    members = deployment.scheduler.members()
    leaving = members.named(names)
    if not leaving or len(leaving) == len(members.workers):
        return None
    await _until_one_is_ready(deployment.scheduler, names, go_on)
    retired = await _retire_while(deployment.scheduler, {worker.name for worker in leaving}, go_on)
    if not go_on():
        # Workers that are gone or would take no task again leave in any case.
        ended = {worker.name for worker in leaving if worker.address in retired.gone}
        await deployment.release(ended.union(retired.stuck))
        return None
    notes, together = [], titles.together
    if retired.kept:
        notes.append(f"{together(retired.kept)} held actors, or results that no other had room for; they are lost.")
    if retired.stuck:
        notes.append(f"{together(retired.stuck)} did not transfer all results in time; the rest are lost.")
    return " ".join(notes) or None


async def _retire_while(scheduler: SchedulerView, names: Collection[str], go_on: Callable[[], bool]) -> Retired:
    """Retire workers, and cancel that once ``go_on`` returns false."""
    task = asyncio.ensure_future(scheduler.retire(names))
    cancelled = False
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=LOOK_SECONDS)
            if not task.done() and not cancelled and not go_on():
                cancelled = True
                await scheduler.cancel_retiring()
        return task.result()
    finally:
        task.cancel()
