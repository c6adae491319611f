"""One rank, which has all the data."""

from __future__ import annotations

from .communicator import Communicator
from .operators import Message, Operator


class SerialCommunicator(Communicator):
    """The only rank there is: what it gives, it gets back."""

    rank = 0
    size = 1

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Return the value."""
        return value

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Return the value."""
        return value

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Return the value in a list."""
        return [value]
