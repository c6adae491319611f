"""Turns to start: first come, first served, and no user delays others for long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpucluster.sharing import turns
from gpucluster.sharing.node import prefix
from gpucluster.sharing.turns import Turn, in_line

from tests.otheruser import OtherUser

from .conftest import Holds, holding


def start_name(arrived: int) -> str:
    return f"{prefix()}/s/{arrived}"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Turn]]:
    """Turns that end with the test; all may belong to one user."""
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 100)
    found: list[Turn] = []
    yield found
    for turn in found:
        turn.leave()


def take() -> Turn:
    turn = Turn.take()
    assert turn is not None
    turn.at_a_time = 2
    turn.before()
    return turn


def test_first_come_first_served(taken: list[Turn]) -> None:
    taken += [take() for _ in range(5)]
    assert [turn.before() for turn in taken] == [0, 1, 2, 3, 4]
    assert [turn.has_come(turn.before()) for turn in taken] == [True, True, False, False, False]
    taken[0].leave()
    assert [turn.before() for turn in taken[1:]] == [0, 1, 2, 3]
    taken[3].leave()
    assert taken[4].before() == 2, "a turn that was given up still counts"


def test_later_name_is_behind(taken: list[Turn], holds: Holds) -> None:
    taken.append(take())
    holds(*map(start_name, range(7)))
    assert taken[0].before() == 0


def test_nonsense_is_no_turn(taken: list[Turn], holds: Holds) -> None:
    holds(*(f"{prefix()}/s/{text}" for text in ("", "-1", "x", "1/2", "9" * 30, "ü", "01")))
    taken.append(take())
    assert taken[0].before() == 0


def test_hanging_start_is_skipped(taken: list[Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    taken += [take() for _ in range(4)]
    assert taken[3].before() == 3
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", -1.0)
    assert taken[3].before() == 0


def test_wait_is_at_most_a_minute(taken: list[Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    taken += [take() for _ in range(9)]
    before = taken[8].before()
    assert not taken[8].has_come(before)
    monkeypatch.setattr(turns, "LONGEST_SECONDS", -1.0)
    assert taken[8].has_come(before), "it still waits for others"


def test_few_of_one_user_count(taken: list[Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    taken += [take() for _ in range(6)]
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    assert taken[5].before() == 2


def test_turn_is_passed_to_process(taken: list[Turn]) -> None:
    taken += [take(), take()]
    again = Turn(taken[1]._held.dup())
    assert again.before() == 1, "the time is part of the name"
    taken[1].leave()
    taken.append(take())
    assert taken[-1].before() == 2, "the process still holds it"
    again.leave()
    assert taken[-1].before() == 1


def test_what_people_read() -> None:
    assert in_line(1) == "In queue: 1 cluster starts before this one on this machine"
    assert in_line(12) == "In queue: 12 clusters start before this one on this machine"


@pytest.mark.processes
def test_many_names_do_not_delay_others(
    other_user: OtherUser, taken: list[Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    with holding(other_user, *map(start_name, range(40))) as (_, held):
        assert all(held)
        taken.append(take())
        assert taken[0].before() == 2, "more than two of one user count"
        monkeypatch.setattr(turns, "PATIENCE_SECONDS", -1.0)
        assert taken[0].before() == 0
        monkeypatch.setattr(turns, "PATIENCE_SECONDS", 60.0)
        assert taken[0].before() == 0, "not all names of a skipped user are skipped"
