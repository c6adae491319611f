"""A cluster's messages to users. Programs use their codes, never their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import Field

from .telemetry import WireModel


class MessageCode(StrEnum):
    """Subject of a message."""

    ENDED = "ended"  # Why it stopped.
    FAILED = "failed"  # Why it failed.
    NOTICE = "notice"  # What the last request could not do, or what is wrong now.
    CHOICE = "choice"  # Why 'auto' chose this kind.
    NOTE = "note"  # About the request.
    WARNING = "warning"  # About a running cluster.
    PENDING = "pending"  # Why requested workers have not started; the subject has their number.
    TASKS_FAILED = "tasks_failed"  # Failed tasks that a client still holds; the subject is their kind.
    TASKS_KILLED = "tasks_killed"  # The same without a traceback, as after the death of their workers.
    MESSAGE = "message"  # Of an instructor, who is the subject.
    WORKER_DIED = "worker_died"
    WORKER_MEMORY = "worker_memory"  # A worker died because it needed more memory than its limit.
    SPILL = "spill"
    PAUSE = "pause"
    GPU = "gpu"
    STOPPED = "stopped"  # By the idle timer, the site or an instructor, who is then the subject.
    DONE = "done"  # A batch that a user waits for is done.
    NOT_DONE = "not_done"  # It failed, or was cancelled.


def _codes(names: str) -> frozenset[MessageCode]:
    return frozenset(map(MessageCode, names.split()))


NEWS = _codes("message worker_died worker_memory spill pause gpu stopped done not_done")
"""Events, each shown once. All other messages are valid while they are in the list."""
_ERRORS = _codes("failed tasks_failed tasks_killed")
_HARMLESS = _codes("ended choice note pending message stopped done")


class Message(WireModel):
    """One message to the users of a cluster."""

    level: Literal["info", "warning", "error"]
    code: MessageCode = Field(description="Stable name of its subject.")
    text: str = Field(description="Text for users.")
    time: str | None = Field(None, description="Since when it holds, or when it happened; null if unknown.")
    subject: str | None = Field(None, description="Author ('message', 'ended') or subject, such as '3 of 4 jobs wait'.")

    @classmethod
    def of(cls, code: MessageCode, text: str, *, time: str | None = None, subject: str | None = None) -> Message:
        """Return a message with the level of its code."""
        level: Literal["info", "warning", "error"] = (
            "error" if code in _ERRORS else "info" if code in _HARMLESS else "warning"
        )
        return cls(level=level, code=code, text=text, time=time, subject=subject)


Said: TypeAlias = Mapping[MessageCode, str | Message | Sequence[str | Message] | None]
"""The messages from now on, by code; ``None`` or an empty sequence: none."""


def saying(messages: Sequence[Message], said: Said, *, time: str | None = None) -> list[Message]:
    """Return the messages with those of the codes in `said` replaced; of these, new ones get `time`."""
    kept = [message for message in messages if message.code not in said]
    before = {(message.code, message.text, message.subject): message for message in messages}
    for code, texts in said.items():
        for one in [texts] if isinstance(texts, (str, Message)) else texts or ():
            new = one if isinstance(one, Message) else Message.of(code, one)
            known = before.get((code, new.text, new.subject))
            kept.append(known or (new if new.time is not None else new.model_copy(update={"time": time})))
    return kept
