"""Turns to start: first come, first served, and nobody holds up others for long."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
from gpucluster.operating_system.abstract_names import hold
from gpucluster.sharing import turns
from gpucluster.sharing.node import VARIABLE, prefix
from gpucluster.sharing.turns import Turn, in_line

from tests.otheruser import OtherUser

HOLD = """
import sys, time
from gpucluster.operating_system.abstract_names import hold
kept = [hold(name) for name in sys.argv[1:]]
print([each is not None for each in kept], flush=True)
time.sleep(600)
"""


def start_name(arrived: int) -> str:
    return f"{prefix()}/s/{arrived}"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Turn]]:
    """Turns that end with the test; all of them may be of one user."""
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
    assert taken[4].before() == 2, "who gives up is before nobody"


def test_later_name_is_behind(taken: list[Turn]) -> None:
    taken.append(take())
    forged = [hold(start_name(number)) for number in range(7)]
    assert taken[0].before() == 0
    for each in forged:
        assert each is not None
        each.close()


def test_nonsense_is_no_turn(taken: list[Turn]) -> None:
    held = [hold(f"{prefix()}/s/{text}") for text in ("", "-1", "x", "1/2", "9" * 30, "ü", "01")]
    taken.append(take())
    assert taken[0].before() == 0
    for each in held:
        assert each is not None
        each.close()


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
    assert taken[8].has_come(before), "whoever stands before it"


def test_few_of_one_user_count(taken: list[Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    taken += [take() for _ in range(6)]
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    assert taken[5].before() == 2


def test_turn_is_passed_to_process(taken: list[Turn]) -> None:
    taken += [take(), take()]
    again = Turn(taken[1]._held.dup())
    assert again.before() == 1, "the name itself tells when"
    taken[1].leave()
    taken.append(take())
    assert taken[-1].before() == 2, "it is held until the process has left, too"
    again.leave()
    assert taken[-1].before() == 1


def test_what_people_read() -> None:
    assert in_line(1) == "In queue: 1 cluster starts before this one on this machine"
    assert in_line(12) == "In queue: 12 clusters start before this one on this machine"


@pytest.mark.processes
def test_many_names_do_not_delay_others(own_node: str, taken: list[Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    user = OtherUser({VARIABLE: own_node, "PATH": "/usr/bin:/bin"})
    try:
        with user.start("-c", HOLD, *map(start_name, range(40)), stderr=subprocess.DEVNULL) as stands:
            assert stands.stdout is not None
            assert all(json.loads(stands.stdout.readline().lower()))
            taken.append(take())
            assert taken[0].before() == 2, "no more than two of one user count"
            monkeypatch.setattr(turns, "PATIENCE_SECONDS", -1.0)
            assert taken[0].before() == 0
            monkeypatch.setattr(turns, "PATIENCE_SECONDS", 60.0)
            assert taken[0].before() == 0, "all names of who is passed over are"
            stands.kill()
    finally:
        user.close()
