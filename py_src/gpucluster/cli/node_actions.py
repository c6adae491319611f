"""What ``node`` is asked for: the machine, the clusters of a class, a message to it, a stop."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from pydantic import BaseModel

from ..client.instructing import class_clusters, message_class, stop_class
from ..client.node import node
from ..protocol.errors import InvalidRequest
from .arguments import did_you_mean, shown
from .node_text import answer_text, class_text, node_text

EVERYBODY = "all"


@dataclass(frozen=True)
class NodeRequest:
    """What somebody has typed."""

    do: str
    user: str = ""
    text: str = ""

    @property
    def stops(self) -> bool:
        """Whether clusters end."""
        return self.do == "stop"


def read(found: Namespace) -> NodeRequest:
    """Read the words after ``node``.

    Raises
    ------
    InvalidRequest
        With what can stand there.
    """
    words: list[str] = getattr(found, "words", [])
    reason: str | None = getattr(found, "reason", None)
    if reason is not None and words[:1] != ["stop"]:
        raise InvalidRequest("--reason goes with 'stop': node stop USER --reason TEXT.")
    if not words:
        return NodeRequest("class" if getattr(found, "of_class", False) else "show")
    if getattr(found, "of_class", False):
        raise InvalidRequest(f"--class lists the clusters; leave it out, or '{shown(words[0])}'.")
    if words[0] == "message":
        if len(words) != 3:
            raise InvalidRequest('Write: node message USER "TEXT", or node message all "TEXT"; the text in quotes.')
        return NodeRequest("message", words[1], words[2])
    if words[0] == "stop":
        if len(words) != 2 or words[1] == EVERYBODY:
            raise InvalidRequest("Write: node stop USER, for one user at a time.")
        return NodeRequest("stop", words[1], reason or "")
    near = did_you_mean(words[0], ["message", "stop"])
    raise InvalidRequest(f"node knows 'message' and 'stop', not '{shown(words[0])}'.{near}")


def carry_out(request: NodeRequest) -> tuple[BaseModel, str]:
    """Do it; returns the answer, and as text."""
    if request.do == "class":
        listed = class_clusters()
        return listed, class_text(listed)
    if request.do == "message":
        told = message_class(None if request.user == EVERYBODY else request.user, request.text)
        return told, answer_text(told, "Told")
    if request.do == "stop":
        stopped = stop_class(request.user, request.text)
        return stopped, answer_text(stopped, "Stopped")
    answer = node()
    return answer, node_text(answer)
