"""The queue for GPUs: first come, first served, and no user delays others for long."""

import time

import pytest
from gpucluster.operating_system.sockets import seconds_since_boot
from gpucluster.sharing import claims
from gpucluster.sharing.claims import Line, NodeClaims, StillQueued
from gpucluster.sharing.node import GPUPolicy, claim_name, place_name, read_node

from .conftest import holding

ONE, TWO = "GPU-1", "GPU-2"


class Person:
    """A user who wants some of two GPUs with two slots each."""

    def __init__(self, *candidates: str, count: int = 1, slots: int = 2, per_user: int | None = None) -> None:
        self.claims = NodeClaims(GPUPolicy(slots=slots, per_user=per_user))
        self.line = Line(self.claims, {ONE: slots, TWO: slots})
        self.candidates, self.count = candidates or (ONE, TWO), count

    def asks(self) -> str:
        """Return what this person gets, or the place in line."""
        everything = set(self.candidates) == {ONE, TWO}
        try:
            self.line.take(self.candidates, self.count, chosen=not everything)
        except StillQueued as place:
            return str(place)
        return " ".join(f"{uuid}/{mark}" for uuid, mark in self.claims.held)

    def goes(self) -> None:
        self.line.leave()
        self.claims.release()


@pytest.fixture
def people():
    found: list[Person] = []
    yield found
    for person in found:
        person.goes()


def test_slots_are_assigned_evenly_and_once(people):
    people += [Person() for _ in range(5)]
    found = [person.asks() for person in people]
    assert found == ["GPU-1/1", "GPU-2/1", "GPU-1/2", "GPU-2/2", "In queue: you are next"]
    people[1].goes()
    assert people[4].asks() == "GPU-2/1"
    assert read_node().line == ()


def test_first_come_first_served(people):
    people += [Person() for _ in range(7)]
    for person in people[:4]:
        person.asks()
    assert [person.asks() for person in people[4:]] == [
        f"In queue: {who}" for who in ("you are next", "1 before you", "2 before you")
    ]
    people[0].goes()
    assert people[6].asks() == "In queue: 2 before you", "a later user got the free slot"
    assert people[4].asks() == "GPU-1/1"
    people[5].goes()
    assert people[6].asks() == "In queue: you are next", "a user who gave up still counts"


def test_request_for_several_is_not_starved(people):
    first, second, big, small = people[:] = Person(slots=1), Person(slots=1), Person(count=2, slots=1), Person(slots=1)
    first.asks(), second.asks()
    assert big.asks() == "In queue: you are next"
    first.goes()
    assert small.asks() == "In queue: 1 before you"
    assert big.asks() == "In queue: you are next"
    second.goes()
    assert big.asks() == "GPU-1/1 GPU-2/1"


def test_request_for_one_gpu_does_not_delay_others(people):
    first, second, certain, any_one = people[:] = Person(ONE, slots=1), Person(TWO, slots=1), Person(ONE), Person()
    certain.line.parts = any_one.line.parts = {ONE: 1, TWO: 1}
    first.asks(), second.asks()
    assert certain.asks() == "In queue: you are next"
    assert any_one.asks() == "In queue: 1 before you"
    second.goes()
    assert certain.asks() == "In queue: you are next"
    assert any_one.asks() == "GPU-2/1"


def test_about_how_long(people):
    people += [Person(slots=1), Person(slots=1), Person(slots=1), Person(slots=1)]
    people[0].asks(), people[1].asks()
    people[0].claims.set_expected_end(seconds_since_boot() + 360)
    assert people[2].asks() == "In queue: you are next, about 6 min"
    assert people[3].asks() == "In queue: 1 before you", "one holder did not tell its end"
    people[1].claims.set_expected_end(seconds_since_boot() + 2 * 3600 + 90)
    assert people[3].asks() == "In queue: 1 before you, about 2 h 1 min"


def test_later_place_is_behind(people, holds):
    people += [Person(slots=1), Person(slots=1), Person(slots=1)]
    for person in people:
        person.asks()
    holds(place_name(7, 1, None))
    assert people[2].asks() == "In queue: you are next"


def test_idle_place_is_skipped(people, holds, monkeypatch):
    holds(place_name(7, 1, None))
    people += [Person(slots=1), Person(slots=1), Person(slots=1)]
    assert people[0].asks() == "GPU-2/1", "the other GPU is reserved for the earlier place"
    assert people[1].asks() == "In queue: 1 before you"
    monkeypatch.setattr(claims, "PATIENCE_SECONDS", 0.0)
    assert people[1].asks() == "GPU-1/1"


def test_impossible_request_does_not_delay_others(people, holds):
    holds(place_name(7, 999, None))
    people.append(Person(slots=1))
    assert people[0].asks() == "GPU-1/1"


def test_places_beyond_user_limit_do_not_count(people, holds):
    holds(claim_name(ONE, "1"), claim_name(TWO, "1"), *(place_name(number, 1, None) for number in range(1, 9)))
    people.append(Person(slots=1, per_user=3))
    assert people[0].asks() == "In queue: 1 before you", "the limit leaves room for one of the eight"


def test_claims_above_user_limit_do_not_count(people, holds):
    holds(*(claim_name(uuid, str(number)) for uuid in (ONE, TWO) for number in (1, 2)))
    people.append(Person(per_user=2))
    assert people[0].asks() == "GPU-2/3", "two of the four count"


@pytest.mark.processes
def test_many_places_do_not_delay_others(other_user, people, monkeypatch):
    monkeypatch.setattr(claims, "PATIENCE_SECONDS", 0.3)
    with holding(other_user, *(place_name(number, 1, None) for number in range(1, 40))) as (_, held):
        assert all(held)
        people.append(Person())
        began = time.monotonic()
        while (found := people[0].asks()).startswith("In queue"):
            time.sleep(0.05)
        assert found == "GPU-1/1"
        assert time.monotonic() - began < 39 * 0.3, "one user's places were not skipped together"


@pytest.mark.processes
def test_queue_continues_after_kill(other_user, people):
    people += [Person() for _ in range(5)]
    for person in people[:4]:
        person.asks()
    with holding(other_user, place_name(int(seconds_since_boot() * 1e9), 1, None)) as (waits, held):
        assert held == [True]
        assert people[4].asks() == "In queue: 1 before you"
        waits.kill()
        waits.wait(20)
        assert people[4].asks() == "In queue: you are next"
