"""What an interrupt leaves behind: futures in stored tracebacks and in event loops."""

import asyncio
import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import FrameType, FunctionType, ModuleType
from typing import Any

from .collections import frames_of

_MOST_OBJECTS = 100_000  # In a frame, among which futures are searched.
_SHELLS = {"IPython", "ipykernel"}


def forget_futures(error: BaseException) -> None:
    """Remove the futures that only a stored error keeps, so that the scheduler forgets their tasks.

    IPython stores the last error, and its traceback holds the local variables of all frames. Frames that hold futures
    lose all their variables; frames without futures keep theirs, for debuggers, and so do the variables of modules,
    among them those of a notebook. ``as_completed`` objects that nothing else refers to stop waiting.

    Relies on ``Client.futures``, on ``Client._instances``, and on the tasks of ``as_completed._track_future``, one for
    each future, in ``Client.loop``, which refer to both (2025.4).
    """
    from distributed import Client

    clients = [client for client in list(Client._instances) if client.futures and client.status == "running"]
    if not clients:
        return
    frames = [frame for frame in _frames(error) if _hold_futures(frame.f_locals.values())]
    for frame in frames:
        with suppress(RuntimeError):  # The frame is still executing.
            frame.clear()
        frame.f_locals  # noqa: B018  # Until Python 3.13 a copy, which is updated here.
    _clear_closures(frames)
    for loop in {client.loop for client in clients if client.loop is not None}:
        loop.add_callback(_end_abandoned, loop)


def _frames(error: BaseException) -> list[FrameType]:
    """Return the frames of functions that the error has passed through, without those of IPython.

    Dask removes frames from tracebacks, such as those of ``Client.gather``, but the frames that they have called, which
    stay, refer to them (``dask.utils.shorten_traceback``, 2023.5).
    """
    found: dict[int, FrameType] = {}
    for place in frames_of(error):
        found.update((id(frame), frame) for frame in place[:1])  # The callers of the first one have not ended.
        for inner in place[1:]:
            frame: FrameType | None = inner
            while frame is not None and id(frame) not in found:
                found[id(frame)] = frame
                frame = frame.f_back
    return [frame for frame in found.values() if frame.f_locals is not frame.f_globals and not _is_of_shell(frame)]


def _is_of_shell(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _SHELLS


def _clear_closures(frames: list[FrameType]) -> None:
    """Clear also the closures of the functions of cleared frames, where nothing else refers to them."""
    functions = [one for frame in frames for one in gc.get_referents(frame) if type(one) is FunctionType]
    own = {id(functions), *map(id, frames)}
    closures: dict[int, tuple[Any, ...]] = {}
    for function in functions:
        if function.__closure__ and own.issuperset(map(id, gc.get_referrers(function))):
            closures[id(function.__closure__)] = function.__closure__
    for closure in list(closures.values()):
        for cell in closure:
            if closures.keys() >= {id(one) for one in gc.get_referrers(cell)} and _hold_futures([cell]):
                del cell.cell_contents


def _hold_futures(values: Iterable[Any]) -> bool:
    """Return whether any of the objects, or what they refer to, is a future; the nearest objects are searched first."""
    from distributed import Client, Future, as_completed

    skipped = (type, Client, FrameType, ModuleType)  # They refer to much, and to no future that only a frame keeps.
    seen: set[int] = set()
    nearest = list(values)
    while nearest and len(seen) < _MOST_OBJECTS:
        further: list[Any] = []
        for one in nearest:
            kind = type(one)  # ``isinstance`` would ask proxies for their class.
            if issubclass(kind, Future | as_completed):
                return True
            if id(one) not in seen and gc.is_tracked(one) and not issubclass(kind, skipped):
                seen.add(id(one))
                further += _referents(one)
        nearest = further
    return False


def _referents(one: Any) -> Iterable[Any]:
    if type(one) is FunctionType:
        return (one.__closure__, one.__defaults__, one.__kwdefaults__)
    if type(one) is dict and "__builtins__" in one:  # The variables of a module.
        return ()
    return gc.get_referents(one)


def tasks_of(coroutine_function: str) -> Iterator[Any]:
    """Yield the tasks of the running event loop whose coroutine has this ``__qualname__``."""
    for task in asyncio.all_tasks():
        if getattr(task.get_coro(), "__qualname__", None) == coroutine_function:
            yield task


def _end_abandoned(loop: Any) -> None:
    """End what waits for the futures of ``as_completed`` objects that nothing but this waiting refers to."""
    from distributed import as_completed

    waiting: dict[int, list[Any]] = defaultdict(list)
    found: dict[int, as_completed] = {}
    for task in tasks_of(as_completed._track_future.__qualname__):
        for one in gc.get_referents(task.get_coro()):
            if isinstance(one, as_completed):
                found[id(one)] = one
                waiting[id(one)].append(task)
    for key, tasks in waiting.items():
        own = {id(found), *(id(task.get_coro()) for task in tasks)}
        if all(id(one) in own for one in gc.get_referrers(found[key])):
            found[key].clear()
            loop.add_callback(_cancel, tasks)


async def _cancel(tasks: list[Any]) -> None:
    """Cancel them until they end: with results, one waits twice for its future."""
    while tasks := [task for task in tasks if not task.done()]:
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
