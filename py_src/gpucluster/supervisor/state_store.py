"""Keeps ``state.json`` in step with the supervisor, at most ten times a second, and survives a full disk."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ..operating_system.files import read_own_file
from ..protocol.errors import RegistryUnwritable
from ..protocol.messages import NEWS, Message, MessageCode, Said, saying
from ..protocol.models import ClusterModel
from ..protocol.plain_text import printable
from ..registry.directory import writing
from ..registry.record import Folder, Record, identify, now
from ..registry.store import Registry

logger = logging.getLogger("gpucluster.supervisor")

COALESCE_SECONDS = 0.1
RESERVE_BYTES = 64 * 1024  # Enough for the old and the new record of a cluster with many workers.
KEPT, KEPT_OF_INSTRUCTORS = 10, 3  # News in the model, and messages of instructors, which stay on the card.
LONGEST = 140  # JupyterLab's own bound for notices.


class StateStore:
    """Holds the cluster's model and writes it to disk.

    A change of state is on disk when ``update`` returns, so a crash at any line leaves something that can be cleaned.
    Changes of figures alone are collected for a tenth of a second.

    Where the disk cannot be written, the model still changes in memory, with the reason as its ``notice``, and
    ``recover`` writes it as soon as possible. A small reserve on the disk is released for the first such record, so
    that other processes can read the reason, and that the cluster is to stop.

    * `changed`: called with each new model, before it is on disk.
    """

    def __init__(
        self, registry: Registry, folder: Folder, model: ClusterModel, changed: Callable[[ClusterModel], None]
    ) -> None:
        self._registry = registry
        self._folder = folder
        self._changed = changed
        self._process = identify(os.getpid())
        self._pending: asyncio.TimerHandle | None = None
        self._unwritable: str | None = None
        self._written = ""
        self._stamp: tuple[int, int, int] | None = None
        self.model = model.model_copy(update={"pid": os.getpid()})
        self.write()
        self._try(self._make_reserve)

    def update(self, *, soon: bool = False, say: Said | None = None, **changes: Any) -> ClusterModel:
        """Change the model; returns it. `soon`: it may reach the disk later. `say`: its messages of these codes."""
        if say is not None:
            changes["messages"] = saying(self.model.messages, say, time=now())
        if all(getattr(self.model, name) == value for name, value in changes.items()):
            return self.model
        self.model = self.model.model_copy(update=changes)
        # First, so that the activity is complete when the disk shows that the cluster has ended.
        self._changed(self.model)
        if not soon:
            self.write()
        elif self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(COALESCE_SECONDS, self.write)
        return self.model

    def announce(self, code: str, text: str, subject: str | None = None, *, instead: Message | None = None) -> Message:
        """Add a piece of news; returns it, cut to the length of a notice unless it is an instructor's message.

        `instead`: an earlier one that this one replaces; its time stays, so that it is not shown twice.
        """
        added = news(code, text, subject)
        # An instructor's message is on disk before it is confirmed.
        soon = added.code is not MessageCode.MESSAGE
        before = list(self.model.messages)
        if instead is not None:
            added = added.model_copy(update={"time": instead.time})
            before = [message for message in before if message != instead]
        self.update(soon=soon, messages=with_news(before, added))
        return added

    def write(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        self._try(self._save)

    def require_writable(self) -> None:
        """Write now. Raises `RegistryUnwritable`, with the disk and the folder, where that is impossible."""
        self.write()
        self.recover()
        if self._unwritable is not None:
            raise RegistryUnwritable(self._unwritable)

    def recover(self) -> None:
        """Write what could not be written before, if possible now."""
        if self._unwritable is None:
            return
        if not self._try(self._make_reserve, self._save):
            return
        logger.info("The cluster's folder can be written again")
        before, self._unwritable = self._unwritable, None
        if self.model.notice == before:
            self.update(say={MessageCode.NOTICE: None})

    def look(self) -> None:
        """Write the record again if another program has changed it."""
        try:
            if self._stamp is None or (stamp := self._stamp_now()) == self._stamp:
                return
            if self._is_written():
                self._stamp = stamp
                return
        except FileNotFoundError:
            return
        except OSError as error:  # The folder cannot be searched.
            self._continue_without_disk(f"The cluster's record cannot be read: {error.strerror}: {self._folder.state}.")
            return
        logger.warning("The record of this cluster was changed or corrupted by another program; it is written again")
        self._try(self._replace)

    def _try(self, *steps: Callable[[], None]) -> bool:
        """Write something; returns whether it was written, or else keeps the reason."""
        try:
            for step in steps:
                step()
        except RegistryUnwritable as error:
            self._continue_without_disk(error.message)
            return False
        except FileNotFoundError:
            return False  # It was deleted; this process ends soon.
        return True

    def _is_written(self) -> bool:
        """Whether the record is a plain file of ours with what this process has written."""
        written = self._written.encode()
        try:
            return read_own_file(self._folder.state, len(written)) == written
        except FileNotFoundError:
            raise
        except OSError:
            return False

    def _make_room(self) -> None:
        """Move a folder aside, which no file can replace."""
        with writing(self._registry.directory), suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(self._folder.state).st_mode):
                os.rename(self._folder.state, self._folder.path / f"not-state.json-{time.time_ns()}")

    def _stamp_now(self) -> tuple[int, int, int]:
        found = os.lstat(self._folder.state)
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _save(self) -> None:
        with writing(self._registry.directory):
            try:
                os.lstat(self._folder.state)  # A dangling link counts as a record.
            except FileNotFoundError:
                return
        self._replace()

    def _replace(self) -> None:
        record = Record(kind="cluster", cluster=self.model, process=self._process)
        self._make_room()
        self._registry.write(self._folder, record)
        self._written = record.model_dump_json()
        with suppress(OSError):
            self._stamp = self._stamp_now()

    def _continue_without_disk(self, why: str) -> None:
        if why != self._unwritable:
            logger.error("%s The cluster keeps running; its record is updated later.", why)
        self._unwritable = why
        if not self.model.state.ended:
            self.model = self.model.saying({MessageCode.NOTICE: why})
        with suppress(OSError):
            self._folder.reserve.unlink(missing_ok=True)
        with suppress(RegistryUnwritable, FileNotFoundError):
            self._save()

    def _make_reserve(self) -> None:
        with writing(self._registry.directory):
            self._folder.reserve.unlink(missing_ok=True)
            descriptor = os.open(self._folder.reserve, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(bytes(RESERVE_BYTES))


def news(code: str, text: str, subject: str | None = None) -> Message:
    """Return a piece of news of now, cut to the length of a notice unless it is an instructor's message."""
    kind = MessageCode(code)
    short = printable(text, None if kind is MessageCode.MESSAGE else LONGEST)
    return Message.of(kind, short, time=now(), subject=subject)


def with_news(messages: Sequence[Message], added: Message) -> list[Message]:
    """Return the messages with another piece of news, without the oldest ones."""
    found = [*(one for one in messages if one.code in NEWS), added]
    of_instructors = [one for one in found if one.code is MessageCode.MESSAGE]
    kept = found[-KEPT:] + of_instructors[-KEPT_OF_INSTRUCTORS:]
    return [one for one in (*messages, added) if one.code not in NEWS or one in kept]


Result = TypeVar("Result")


async def unless_stopped(store: StateStore, changed: asyncio.Event, work: Coroutine[Any, Any, Result]) -> Result | None:
    """Return the result of the work; ``None`` if it was cancelled, as soon as a stop is wanted. `changed`: set then."""
    task = asyncio.create_task(work)
    while not task.done():
        changed.clear()
        if store.model.wanted.stopped:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            return None
        waiter = asyncio.create_task(changed.wait())
        await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
    return await task
