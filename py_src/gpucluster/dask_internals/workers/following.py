"""Follow what Dask calls or logs, beside other followers, and restore the original in the end."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

FOLLOWERS = "gpucluster_followers"
BEFORE = "gpucluster_before"


class Following:
    """One follower of one thing.

    The followers are stored on the hook that replaces Dask's own object, not in a variable of this module: a
    measurement that was sent by value brings its own module, and still shares the hook.

    * `read`, `write`: return and replace the present object.
    * `make`: makes a hook from Dask's own object and a list of followers, which it calls.
    * `follower`: called with what happens.
    """

    def __init__(
        self,
        read: Callable[[], Any],
        write: Callable[[Any], None],
        make: Callable[[Any, list[Any]], Any],
        follower: Callable[..., None],
    ) -> None:
        self._read, self._write, self._follower = read, write, follower
        if not hasattr(read(), FOLLOWERS):
            before, followers = read(), []  # type: Any, list[Any]
            hook = make(before, followers)
            setattr(hook, FOLLOWERS, followers)
            setattr(hook, BEFORE, before)
            write(hook)
        self._hook = read()
        self._followers: list[Any] = getattr(self._hook, FOLLOWERS)
        self._followers.append(follower)

    @property
    def whole(self) -> bool:
        """Whether nothing has been missed, because the hook was not replaced."""
        return self._read() is self._hook

    def stop(self) -> None:
        """Stop following; the last follower restores the original."""
        if self._follower in self._followers:
            self._followers.remove(self._follower)
        if not self._followers and self.whole:
            before = getattr(self._hook, BEFORE)
            restore = getattr(self._hook, "gpucluster_restore", None)
            self._write(before if restore is None else restore())


def follow_handler(table: dict[str, Any], operation: str, follower: Callable[[dict[str, Any]], None]) -> Following:
    """Call a follower with the arguments of each message of one kind, before its handler.

    Relies on tables of handlers being dictionaries from the operation to a function or coroutine function that is
    called with keyword arguments (``Server.handlers`` and ``Server.stream_handlers``, 2021.1).

    `operation`: a key of it. `follower`: gets a dictionary, and must not change it.
    """

    def make(handler: Any, followers: list[Any]) -> Any:
        @functools.wraps(handler)
        def followed(*args: Any, **kwargs: Any) -> Any:
            for one in followers:
                one(kwargs)
            return handler(*args, **kwargs)

        @functools.wraps(handler)
        async def followed_coroutine(*args: Any, **kwargs: Any) -> Any:
            return await followed(*args, **kwargs)

        return followed_coroutine if inspect.iscoroutinefunction(handler) else followed

    return Following(lambda: table.get(operation), lambda value: table.update({operation: value}), make, follower)
