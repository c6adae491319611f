"""What a cluster has to say to people: one list of messages. Programs go by their codes, never by their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias

from pydantic import Field

from .telemetry import TelemetryModel


class MessageCode(StrEnum):
    """What a message is about."""

    ENDED = "ended"  # Why it stopped.
    FAILED = "failed"  # Why it failed.
    NOTICE = "notice"  # What the last request could not do, or what is wrong now.
    CHOICE = "choice"  # Why 'auto' chose this kind.
    NOTE = "note"  # What to know about what was asked for.
    WARNING = "warning"  # What to know about a cluster that works.
    PENDING = "pending"  # Why workers that were asked for have not come; the subject says how many of how many.
    TASKS_FAILED = "tasks_failed"  # Tasks have failed and somebody still holds them; the subject is their kind.
    TASKS_KILLED = "tasks_killed"  # The same where there is no traceback, as where the workers that ran them died.
    MESSAGE = "message"  # What an instructor says; the subject is the instructor.
    WORKER_DIED = "worker_died"
    WORKER_MEMORY = "worker_memory"  # A worker died because it needed more memory than its limit.
    SPILL = "spill"
    PAUSE = "pause"
    GPU = "gpu"
    STOPPED = "stopped"  # Stopped unasked: by the idle timer, the site or an instructor, who is then the subject.
    DONE = "done"  # A batch that a person waits for is done.
    NOT_DONE = "not_done"  # It failed, or was cancelled.


NEWS = frozenset(MessageCode) - frozenset(
    {
        MessageCode.ENDED,
        MessageCode.FAILED,
        MessageCode.NOTICE,
        MessageCode.CHOICE,
        MessageCode.NOTE,
        MessageCode.WARNING,
        MessageCode.PENDING,
        MessageCode.TASKS_FAILED,
        MessageCode.TASKS_KILLED,
    }
)
"""What has happened: each is shown once. All other messages hold for as long as they are in the list."""
_ERRORS = frozenset({MessageCode.FAILED, MessageCode.TASKS_FAILED, MessageCode.TASKS_KILLED})
_HARMLESS = frozenset(
    {
        MessageCode.ENDED,
        MessageCode.CHOICE,
        MessageCode.NOTE,
        MessageCode.PENDING,
        MessageCode.MESSAGE,
        MessageCode.STOPPED,
        MessageCode.DONE,
    }
)


class Message(TelemetryModel):
    """One message to the users of a cluster."""

    level: Literal["info", "warning", "error"]
    code: MessageCode = Field(description="Stable name of what it is about.")
    text: str = Field(description="Text for users.")
    time: str | None = Field(None, description="Since when it holds, or when it happened; null: not known.")
    subject: str | None = Field(
        None, description="Its author ('message', 'ended'), or its subject, such as '3 of 4 jobs wait'."
    )

    @classmethod
    def of(cls, code: MessageCode, text: str, *, time: str | None = None, subject: str | None = None) -> Message:
        """Return a message with the level of its code."""
        level: Literal["info", "warning", "error"] = (
            "error" if code in _ERRORS else "info" if code in _HARMLESS else "warning"
        )
        return cls(level=level, code=code, text=text, time=time, subject=subject)


Said: TypeAlias = Mapping[MessageCode, str | Message | Sequence[str | Message] | None]
"""What is to be said from now on, by code; ``None`` or an empty sequence: nothing."""


def saying(messages: Sequence[Message], said: Said, *, time: str | None = None) -> list[Message]:
    """Return the messages with those of some codes replaced; what is said already keeps its time.

    `said`: by code, what is said of it now. `time`: the time of what is new.
    """
    kept = [message for message in messages if message.code not in said]
    before = {(message.code, message.text, message.subject): message for message in messages}
    for code, texts in said.items():
        for one in [texts] if isinstance(texts, (str, Message)) else texts or ():
            new = one if isinstance(one, Message) else Message.of(code, one)
            known = before.get((code, new.text, new.subject))
            kept.append(known or (new if new.time is not None else new.model_copy(update={"time": time})))
    return kept
