"""Two users of one machine: nobody gets a GPU that the other has while another is free, and nobody can lie."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.operating_system.abstract_names import seconds_since_boot
from gpucluster.sharing.claims import NodeClaims
from gpucluster.sharing.node import VARIABLE, claim_name, held_name, read_node

from tests.otheruser import OtherUser

pytestmark = pytest.mark.processes
CHOOSER = Path(__file__).with_name("chooser.py")
ROUNDS = 20
HOLD = """
import sys, time
from gpucluster.operating_system.abstract_names import hold
kept = [hold(name) for name in sys.argv[1:]]
print([each is not None for each in kept], flush=True)
time.sleep(600)
"""


class Chooser:
    """One user's process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert self._answer() == "ready"

    def tell(self, **told: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()

    def has(self) -> list[str]:
        found: list[str] = json.loads(self._answer())
        return found

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture
def users(own_node: str) -> Iterator[list[OtherUser]]:
    both = [OtherUser({VARIABLE: own_node, "PATH": "/usr/bin:/bin"}) for _ in range(2)]
    yield both
    for user in both:
        user.close()


@pytest.fixture
def choosers(users: list[OtherUser]) -> Iterator[list[Chooser]]:
    processes = [user.start(str(CHOOSER), stdin=subprocess.PIPE, stderr=None) for user in users]
    yield [Chooser(process) for process in processes]
    for process in processes:
        process.kill()
        process.communicate()


def test_both_at_the_same_moment(choosers: list[Chooser]) -> None:
    for _ in range(ROUNDS):
        for chooser in choosers:
            chooser.tell(do="choose", n_workers=1, gpus=2, at=time.time() + 0.05)
        assert sorted(chooser.has() for chooser in choosers) == [["GPU-0"], ["GPU-1"]]
        for chooser in choosers:
            chooser.tell(do="release")
            assert chooser.has() == []


def test_several_gpus_at_the_same_moment(choosers: list[Chooser]) -> None:
    for _ in range(ROUNDS):
        for chooser in choosers:
            chooser.tell(do="choose", n_workers=2, gpus=4, at=time.time() + 0.05)
        found = [uuid for chooser in choosers for uuid in chooser.has()]
        assert len(set(found)) == 4, found
        for chooser in choosers:
            chooser.tell(do="release")
            chooser.has()


def test_claim_ends_when_its_holder_is_killed(choosers: list[Chooser], users: list[OtherUser]) -> None:
    one, other = choosers
    one.tell(do="choose", n_workers=1, gpus=1, at=0)
    assert one.has() == ["GPU-0"]
    assert [claim.user for claim in read_node().claims] == [users[0].uid]
    one.process.send_signal(signal.SIGKILL)
    one.process.wait(20)
    assert read_node().claims == ()
    other.tell(do="choose", n_workers=1, gpus=1, at=0)
    assert other.has() == ["GPU-0"]
    assert [claim.user for claim in read_node().claims] == [users[1].uid]


def test_statements_of_other_users_are_ignored(users: list[OtherUser]) -> None:
    mine = NodeClaims()
    with mine.choosing():
        mine.claim(["GPU-0"])
    (before,) = read_node().claims
    # Somebody says of my claim that it is older and ends soon, and claims it, too.
    lie = held_name("GPU-0", "1", 7, seconds_since_boot() + 5)
    assert lie is not None
    with users[0].start("-c", HOLD, lie, claim_name("GPU-0", "1"), claim_name("GPU-0", "2")) as liar:
        assert liar.stdout is not None
        assert json.loads(liar.stdout.readline().lower()) == [True, False, True]
        mine_now, his = read_node().claims
        assert mine_now == before
        assert (his.user, his.mark) == (users[0].uid, "2"), "what he takes is in his name"
        liar.kill()
    mine.release()


def test_squatter_does_not_block_others(users: list[OtherUser], choosers: list[Chooser]) -> None:
    everything = [claim_name(f"GPU-{gpu}", str(number)) for gpu in range(2) for number in range(1, 65)]
    with users[0].start("-c", HOLD, *everything) as squatter:
        assert squatter.stdout is not None
        assert all(json.loads(squatter.stdout.readline().lower()))
        _, other = choosers
        other.tell(do="choose", n_workers=1, gpus=2, at=0, devices=[1])
        assert other.has() == ["GPU-1"]
        other.tell(do="choose", n_workers=1, gpus=2, at=0)
        assert other.has() == ["GPU-0"], "as many claims less"
        assert read_node().held_by(users[0].uid) == len(everything), "it is known who holds them"
        # Where the site allows each user two, the others of his are nobody's.
        assert sum(read_node(per_user=2).counts.values()) == 4
        squatter.kill()
