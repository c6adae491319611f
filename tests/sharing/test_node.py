"""The view of a shared machine, and turns to start: first come, first served, and no user delays others for long."""

import getpass
import json
import os

import gpucluster
import pytest
from gpucluster.cli.node_actions import node_text
from gpucluster.client.node import shown
from gpucluster.operating_system.sockets import seconds_since_boot
from gpucluster.protocol.instructing import More
from gpucluster.protocol.models import DeviceModel, HostDevices
from gpucluster.sharing import turns
from gpucluster.sharing.claims import Line, NodeClaims, StillQueued
from gpucluster.sharing.node import Claim, GPUPolicy, Node, Place, claim_name, held_name, prefix, read_node
from gpucluster.sharing.turns import Turn, in_line

from .conftest import holding

POLICY = GPUPolicy(slots=2, reserved=frozenset({1}), per_user=2)
_GPUS = [DeviceModel(uuid=f"GPU-{number}", index=number, utilization_percent=40) for number in range(3)]
HOST = HostDevices(available=True, message="", code="ok", devices=_GPUS)


def test_holders_and_queue_are_listed_by_user():
    claims, waits = NodeClaims(POLICY), NodeClaims(POLICY)
    parts = {"GPU-0": 2, "GPU-2": 2}
    Line(claims, parts).take(["GPU-0"], 1, chosen=True, ends=seconds_since_boot() + 7290)
    line = Line(waits, {"GPU-0": 1})
    with pytest.raises(StillQueued):
        line.take(["GPU-0"], 1, chosen=True)
    node = shown(HOST, read_node(per_user=2), POLICY)
    (holder,) = node.devices[0].holders
    assert (holder.user, holder.slot, node.devices[0].slots) == (getpass.getuser(), 1, 2)
    assert node.devices[1].reserved
    assert [(place.user, place.gpus, place.certain) for place in node.line] == [(getpass.getuser(), 1, True)]
    text = node_text(node)
    assert "2 h 1 min" in text and "(reserved)" in text and "(2 slots free)" in text and "40 %" in text
    assert f"In queue 1. {getpass.getuser()} (you): 1 specific GPU, for " in text
    line.leave()
    claims.release()


def test_free_slots_are_numbered():
    claims = NodeClaims(POLICY)
    Line(claims, {"GPU-0": 2}).take(["GPU-0"], 1, chosen=True)
    node = shown(HOST, read_node(per_user=2), POLICY)
    assert [device.free for device in node.devices] == [1, None, 2]
    free = [line.split() for line in node_text(node).splitlines() if "free)" in line]
    assert free == [["0", "(1", "slot", "free)", "40", "%"], ["2", "(2", "slots", "free)", "40", "%"]]
    assert "(free)" in node_text(shown(HOST, read_node(), GPUPolicy(slots=1)))
    claims.release()


def test_claims_and_places_per_user_are_bounded():
    liar, honest = 3_000_000_001, 3_000_000_002  # users without a name
    claims = tuple(Claim(f"GPU-{gpu}", str(mark), liar, mark) for gpu in (0, 2) for mark in range(1, 200))
    places = tuple(Place(number, 1, frozenset(), liar, number) for number in range(1, 100))
    places += (Place(10**15, 1, frozenset(), honest, 1000),)
    found = Node(claims, places, per_user=1)
    node = shown(HOST, found, POLICY)
    # That user has its one claim already, so none of its places can be served.
    assert [len(device.holders) for device in node.devices] == [1, 0, 0]
    assert [(place.user, place.since) for place in node.line] == [(str(honest), None)], (
        "only the holder knows since when"
    )
    assert node.more == [More(user=str(liar), above=397, places=99)]
    text = node_text(node)
    assert f"In queue 1. {honest}: 1 GPU\n" in text and len(text.splitlines()) < 10
    assert f"{liar}: 397 claims above the limit, which are ignored; 99 more places in the queue" in text
    # Without a claim one place can be served; without a site limit a few rows of each user are shown.
    assert [place.user for place in shown(HOST, Node((), places, 1), POLICY).line] == [str(liar), str(honest)]
    node = shown(HOST, Node(claims, places), POLICY)
    assert [len(device.holders) for device in node.devices] == [8, 0, 8] and len(node.line) == 9
    assert node.more == [More(user=str(liar), claims=382, places=91)] and node.devices[0].free == 0
    assert len(node_text(node).splitlines()) < 40


def test_more_claims_than_slots_are_reported(holds):
    holds(*(claim_name(uuid, mark) for uuid, mark in (("GPU-0", "2"), ("GPU-0", "1"), ("GPU-2", "1"))))
    for slots, most in ((1, "the 1 claim that it has slots for"), (None, "one claim")):
        node = shown(HOST, read_node(), GPUPolicy(slots=slots))
        assert [[holder.beyond for holder in device.holders] for device in node.devices] == [[False, True], [], [False]]
        line = f"GPU 0 has more than {most}. Also claimed by: {getpass.getuser()} (you)."
        assert line in node_text(node).splitlines()
    assert "has more" not in node_text(shown(HOST, read_node(), GPUPolicy(slots=2)))


def test_nonsense_of_a_holder_breaks_nothing(holds):
    lie = held_name("GPU-0", "1", 9_999_999_999, 9_999_999_999)
    assert lie is not None
    holds(claim_name("GPU-0", "1"), lie, claim_name("GPU-0", "xffffffff"))
    slots = [line.split()[1:4] for line in node_text(shown(HOST, read_node(), POLICY)).splitlines()[1:3]]
    assert slots == [["1", "of", "2"], ["one", "of", "2"]]


@pytest.mark.processes
def test_other_users_see_only_the_name(other_user):
    assert gpucluster.node().line == []
    mine = NodeClaims()
    with mine.choosing():
        mine.claim(["GPU-0"])
    code = "from gpucluster.sharing.node import read_node; print([c.user for c in read_node().claims])"
    assert json.loads(other_user.run("-c", code)) == [os.getuid()]
    mine.release()


def start_name(arrived: int) -> str:
    return f"{prefix()}/s/{arrived}"


@pytest.fixture
def taken(monkeypatch):
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


def test_first_come_first_served(taken):
    taken += [take() for _ in range(5)]
    assert [turn.before() for turn in taken] == [0, 1, 2, 3, 4]
    assert [turn.has_come(turn.before()) for turn in taken] == [True, True, False, False, False]
    taken[0].leave()
    assert [turn.before() for turn in taken[1:]] == [0, 1, 2, 3]
    taken[3].leave()
    assert taken[4].before() == 2, "a turn that was given up still counts"


def test_later_name_is_behind(taken, holds):
    taken.append(take())
    holds(*map(start_name, range(7)))
    assert taken[0].before() == 0


def test_nonsense_is_no_turn(taken, holds):
    holds(*(f"{prefix()}/s/{text}" for text in ("", "-1", "x", "1/2", "9" * 30, "ü", "01")))
    taken.append(take())
    assert taken[0].before() == 0


def test_hanging_start_is_skipped(taken, monkeypatch):
    taken += [take() for _ in range(4)]
    assert taken[3].before() == 3
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", -1.0)
    assert taken[3].before() == 0


def test_wait_is_at_most_a_minute(taken, monkeypatch):
    taken += [take() for _ in range(9)]
    before = taken[8].before()
    assert not taken[8].has_come(before)
    monkeypatch.setattr(turns, "LONGEST_SECONDS", -1.0)
    assert taken[8].has_come(before), "it still waits for others"


def test_few_of_one_user_count(taken, monkeypatch):
    taken += [take() for _ in range(6)]
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    assert taken[5].before() == 2


def test_turn_is_passed_to_process(taken):
    taken += [take(), take()]
    again = Turn(taken[1]._held.dup())
    assert again.before() == 1, "the time is part of the name"
    taken[1].leave()
    taken.append(take())
    assert taken[-1].before() == 2, "the process still holds it"
    again.leave()
    assert taken[-1].before() == 1


def test_what_people_read():
    assert in_line(1) == "In queue: 1 cluster starts before this one on this machine"
    assert in_line(12) == "In queue: 12 clusters start before this one on this machine"


@pytest.mark.processes
def test_many_names_do_not_delay_others(other_user, taken, monkeypatch):
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 2)
    with holding(other_user, *map(start_name, range(40))) as (_, held):
        assert all(held)
        taken.append(take())
        assert taken[0].before() == 2, "more than two of one user count"
        monkeypatch.setattr(turns, "PATIENCE_SECONDS", -1.0)
        assert taken[0].before() == 0
        monkeypatch.setattr(turns, "PATIENCE_SECONDS", 60.0)
        assert taken[0].before() == 0, "not all names of a skipped user are skipped"
