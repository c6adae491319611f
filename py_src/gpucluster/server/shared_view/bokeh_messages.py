"""What a page of Bokeh's may say to the dashboard when it only shows something: nothing that changes anything.

A message is three frames of JSON: a header with its type, metadata and content. Buffers may follow, two frames each. A
page asks for its document and then hears of changes. It also tells what its reader does (``PATCH-DOC``), which calls
functions in the scheduler's process: that is not passed on, and nobody waits for an answer to it.

Nor is any frame of a question passed on as it came: the dashboard, when it cannot read one frame, takes the next one
for the header of another message. Questions are asked anew, in words of ours.
"""

from __future__ import annotations

import json
import re

QUESTIONS = frozenset({"PULL-DOC-REQ", "SERVER-INFO-REQ"})
MOST_FRAME_BYTES = 4 * 2**20
"""What is not passed on is read all the same; a longer frame ends the connection."""
_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_AFTER_HEADER = 2
_MOST_BUFFERS = 1024


class ReadOnly:
    """Passes questions on, and nothing else."""

    def __init__(self) -> None:
        self._left = 0
        """Frames that the message which has begun still has."""

    def passed_on(self, frame: str | bytes) -> tuple[str, ...]:
        """Take the next frame that a page sends; returns the frames that go to the dashboard."""
        if self._left > 0:
            self._left -= 1
            return ()
        header = _header(frame)
        buffers = header.get("num_buffers", 0)
        self._left = _AFTER_HEADER + (2 * buffers if type(buffers) is int and 0 <= buffers <= _MOST_BUFFERS else 0)
        kind, id = header.get("msgtype"), header.get("msgid")
        if not isinstance(kind, str) or kind not in QUESTIONS or not isinstance(id, str) or not _ID.fullmatch(id):
            return ()
        return json.dumps({"msgid": id, "msgtype": kind}), "{}", "{}"


def is_acknowledgement(frame: str | bytes) -> bool:
    """Whether the dashboard says that it has made the page's session: before, it fails at a question."""
    return _header(frame).get("msgtype") == "ACK"


def _header(frame: str | bytes) -> dict[str, object]:
    try:
        header = json.loads(frame)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}
