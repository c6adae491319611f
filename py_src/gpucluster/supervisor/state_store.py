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

from ..operating_system.plain_file import read_own_file
from ..protocol.errors import RegistryUnwritable
from ..protocol.messages import NEWS, Message, MessageCode, Said, saying
from ..protocol.models import ClusterModel
from ..protocol.plain_text import printable
from ..registry.moments import now
from ..registry.process import identify
from ..registry.record import Folder, Record
from ..registry.store import Registry
from ..registry.writing import writing

logger = logging.getLogger("gpucluster.supervisor")

COALESCE_SECONDS = 0.1
RESERVE_BYTES = 64 * 1024  # Enough for the records of a cluster with many workers, the old and the new one.
KEPT, KEPT_OF_INSTRUCTORS = 10, 3  # News that stay in the model, and messages of instructors, which stay on the card.
LONGEST = 140  # JupyterLab's own bound for notices.


class StateStore:
    """Holds the cluster's model and writes it down.

    A change of state is on disk when ``update`` returns: a crash at any line leaves something that can be
    cleaned. Changes of mere figures are collected for a tenth of a second.

    Where nothing can be written the model goes on changing in memory and says so in its ``notice``; ``recover``
    writes it down as soon as that is possible. A small reserve on the disk is given up for the first such record,
    so that everybody can read why, and that the cluster is to stop.

    * `registry`, `folder`: where the cluster is written down.
    * `model`: as it is now.
    * `tell`: told each new model, before it is on disk.
    """

    def __init__(
        self, registry: Registry, folder: Folder, model: ClusterModel, tell: Callable[[ClusterModel], None]
    ) -> None:
        self._registry = registry
        self._folder = folder
        self._tell = tell
        self._process = identify(os.getpid())
        self._pending: asyncio.TimerHandle | None = None
        self._unwritable: str | None = None
        self._written = ""
        self._stamp: tuple[int, int, int] | None = None
        self.model = model.model_copy(update={"pid": os.getpid()})
        self.write()
        try:
            self._make_reserve()
        except RegistryUnwritable as error:
            self._go_on_without_disk(error.message)

    def update(self, *, soon: bool = False, say: Said | None = None, **changes: Any) -> ClusterModel:
        """Change fields of the model; returns the new model.

        `soon`: the change may reach the disk a tenth of a second later. `say`: what it says from now on, by code; what
        it says with other codes stays.
        """
        if say is not None:
            changes["messages"] = saying(self.model.messages, say, time=now())
        if all(getattr(self.model, name) == value for name, value in changes.items()):
            return self.model
        self.model = self.model.model_copy(update=changes)
        # Told first: who reads on disk that the cluster has ended finds its activity complete.
        self._tell(self.model)
        if not soon:
            self.write()
        elif self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(COALESCE_SECONDS, self.write)
        return self.model

    def announce(self, code: str, text: str, subject: str | None = None, *, instead: Message | None = None) -> Message:
        """Add a piece of news; returns it, short enough for a notice but for what an instructor says.

        `instead`: an earlier one that this one completes: it goes, and its time stays, so that nobody reads it twice.
        """
        added = news(code, text, subject)
        # Who hears that an instructor's message has arrived finds it in the record.
        soon = added.code is not MessageCode.MESSAGE
        before = list(self.model.messages)
        if instead is not None:
            added = added.model_copy(update={"time": instead.time})
            before = [message for message in before if message != instead]
        self.update(soon=soon, messages=with_news(before, added))
        return added

    def write(self) -> None:
        """Write the model now, if it can be written."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        try:
            self._save()
        except RegistryUnwritable as error:
            self._go_on_without_disk(error.message)
        except FileNotFoundError:
            pass  # It was deleted; this process ends soon.

    def must_write(self) -> None:
        """Refuse a request that could not be written down. Raises `RegistryUnwritable` with the disk and the folder."""
        self.write()
        self.recover()
        if self._unwritable is not None:
            raise RegistryUnwritable(self._unwritable)

    def recover(self) -> None:
        """Write down what could not be written before, if that is possible now."""
        if self._unwritable is None:
            return
        try:
            self._make_reserve()
            self._save()
        except RegistryUnwritable as error:
            self._go_on_without_disk(error.message)
            return
        except FileNotFoundError:
            return
        logger.info("The cluster's folder can be written again")
        before, self._unwritable = self._unwritable, None
        if self.model.notice == before:
            self.update(say={MessageCode.NOTICE: None})

    def look(self) -> None:
        """Write the record again, if it is not what this process has written: nobody else writes it."""
        try:
            if self._stamp is None or (stamp := self._stamp_now()) == self._stamp:
                return
            if self._is_written():
                self._stamp = stamp
                return
        except FileNotFoundError:
            return
        except OSError as error:  # Of the folder: what is in it cannot even be looked at.
            self._go_on_without_disk(f"The cluster's record cannot be read: {error.strerror}: {self._folder.state}.")
            return
        logger.warning("The record of this cluster was changed or damaged by another program; it is written again")
        try:
            self._replace()
        except RegistryUnwritable as error:
            self._go_on_without_disk(error.message)

    def _is_written(self) -> bool:
        """Whether what is there is what this process has written; whatever is no plain file of ours is not."""
        written = self._written.encode()
        try:
            return read_own_file(self._folder.state, len(written)) == written
        except FileNotFoundError:
            raise
        except OSError:
            return False

    def _make_room(self) -> None:
        """Move a folder aside, which no file can take the place of."""
        with writing(self._registry.directory), suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(self._folder.state).st_mode):
                os.rename(self._folder.state, self._folder.path / f"not-state.json-{time.time_ns()}")

    def _stamp_now(self) -> tuple[int, int, int]:
        found = os.lstat(self._folder.state)
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _save(self) -> None:
        there = False
        # A link that leads nowhere, or to itself, is there, too.
        with writing(self._registry.directory), suppress(FileNotFoundError):
            os.lstat(self._folder.state)
            there = True
        if there:
            self._replace()

    def _replace(self) -> None:
        record = Record(kind="cluster", cluster=self.model, process=self._process)
        self._make_room()
        self._registry.write(self._folder, record)
        self._written = record.model_dump_json()
        with suppress(OSError):
            self._stamp = self._stamp_now()

    def _go_on_without_disk(self, why: str) -> None:
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
    """Return a piece of news of now, short enough for a notice but for what an instructor says."""
    kind = MessageCode(code)
    short = printable(text, None if kind is MessageCode.MESSAGE else LONGEST)
    return Message.of(kind, short, time=now(), subject=subject)


def with_news(messages: Sequence[Message], added: Message) -> list[Message]:
    """Return the messages with another piece of news, and without the oldest ones."""
    found = [*(one for one in messages if one.code in NEWS), added]
    of_instructors = [one for one in found if one.code is MessageCode.MESSAGE]
    kept = found[-KEPT:] + of_instructors[-KEPT_OF_INSTRUCTORS:]
    return [one for one in (*messages, added) if one.code not in NEWS or one in kept]


Result = TypeVar("Result")


async def unless_stopped(store: StateStore, changed: asyncio.Event, work: Coroutine[Any, Any, Result]) -> Result | None:
    """Do the work, and cancel it as soon as a stop is wanted.

    `store`: says what is wanted. `changed`: set whenever that has changed. Returns what the work returns; ``None``
    where it was cancelled.
    """
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
