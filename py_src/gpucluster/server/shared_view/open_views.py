"""The WebSockets that are open by links. A link that is withdrawn closes its own within a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .sessions import ViewSession, ViewSessions

LOOK_SECONDS = 1.0

Close = Callable[[], None]


class OpenViews:
    """Looks again, once a second, whether whoever looks still may.

    Parameters
    ----------
    sessions : ViewSessions
    """

    def __init__(self, sessions: ViewSessions) -> None:
        self._sessions = sessions
        self._open: dict[Close, ViewSession] = {}
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def add(self, session: ViewSession, close: Close) -> None:
        """Note a WebSocket, and what closes it."""
        self._open[close] = session
        session.sockets += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())

    def remove(self, close: Close) -> None:
        """Forget a WebSocket that has closed."""
        session = self._open.pop(close, None)
        if session is not None:
            session.sockets -= 1

    async def close(self) -> None:
        """Look no more."""
        self._open.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _look(self) -> None:
        while self._open:
            await asyncio.sleep(LOOK_SECONDS)
            for close, session in list(self._open.items()):
                if self._sessions.link_of(session) is None:
                    close()
