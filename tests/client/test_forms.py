"""Verbs that begin when they are called."""

from __future__ import annotations

import asyncio

import pytest
from gpucluster.client.forms import eager_twin


class Verbs:
    """A verb that says what becomes of it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @eager_twin
    async def count(self, number: int) -> int:
        self.seen.append(f"begins {number}")
        try:
            await asyncio.sleep(0.01 if number else 60)
        except asyncio.CancelledError:
            self.seen.append(f"cancelled {number}")
            raise
        return number


async def test_it_goes_on_without_being_awaited_and_ends_with_who_waits() -> None:
    verbs = Verbs()
    verbs.count(1)
    assert [await verbs.count(2), await asyncio.create_task(verbs.count(3))] == [2, 3]
    assert await asyncio.gather(verbs.count(4), verbs.count(5)) == [4, 5]
    waiting = asyncio.create_task(verbs.count(0))
    while "begins 0" not in verbs.seen:  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert verbs.seen == [*(f"begins {number}" for number in (1, 2, 3, 4, 5, 0)), "cancelled 0"]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(verbs.count(0), 0.01)


def test_without_a_loop_it_begins_where_it_is_awaited() -> None:
    verbs = Verbs()
    assert asyncio.run(verbs.count(1)) == 1
    assert verbs.seen == ["begins 1"]
