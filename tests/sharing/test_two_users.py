"""Two users of one machine: no one gets the other's GPU while another is free, and false claims are ignored."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from gpucluster.operating_system.sockets import seconds_since_boot
from gpucluster.sharing.claims import NodeClaims
from gpucluster.sharing.node import VARIABLE, claim_name, held_name, read_node

from tests.otheruser import OtherUser

from .conftest import holding

pytestmark = pytest.mark.processes
CHOOSER = Path(__file__).with_name("chooser.py")
ROUNDS = 20


class Chooser:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert self._answer() == "ready"

    def tell(self, **command: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def has(self) -> list[str]:
        found: list[str] = json.loads(self._answer())
        return found

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture
def users(own_node):
    both = [OtherUser({VARIABLE: own_node, "PATH": "/usr/bin:/bin"}) for _ in range(2)]
    yield both
    for user in both:
        user.close()


@pytest.fixture
def choosers(users):
    processes = [user.start(str(CHOOSER), stdin=subprocess.PIPE, stderr=None) for user in users]
    yield [Chooser(process) for process in processes]
    for process in processes:
        process.kill()
        process.communicate()


def test_both_at_the_same_moment(choosers):
    for _ in range(ROUNDS):
        for chooser in choosers:
            chooser.tell(do="choose", n_workers=1, gpus=2, at=time.time() + 0.05)
        assert sorted(chooser.has() for chooser in choosers) == [["GPU-0"], ["GPU-1"]]
        for chooser in choosers:
            chooser.tell(do="release")
            assert chooser.has() == []


def test_several_gpus_at_the_same_moment(choosers):
    for _ in range(ROUNDS):
        for chooser in choosers:
            chooser.tell(do="choose", n_workers=2, gpus=4, at=time.time() + 0.05)
        found = [uuid for chooser in choosers for uuid in chooser.has()]
        assert len(set(found)) == 4, found
        for chooser in choosers:
            chooser.tell(do="release")
            chooser.has()


def test_claim_ends_when_its_holder_is_killed(choosers, users):
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


def test_statements_of_other_users_are_ignored(users):
    mine = NodeClaims()
    with mine.choosing():
        mine.claim(["GPU-0"])
    (before,) = read_node().claims
    # Another user states that my claim is older and ends soon, and claims it, too.
    lie = held_name("GPU-0", "1", 7, seconds_since_boot() + 5)
    assert lie is not None
    with holding(users[0], lie, claim_name("GPU-0", "1"), claim_name("GPU-0", "2")) as (_, held):
        assert held == [True, False, True]
        mine_now, other = read_node().claims
        assert mine_now == before
        assert (other.user, other.mark) == (users[0].uid, "2"), "a claim belongs to its holder"
    mine.release()


def test_squatter_does_not_block_others(users, choosers):
    everything = [claim_name(f"GPU-{gpu}", str(number)) for gpu in range(2) for number in range(1, 65)]
    with holding(users[0], *everything) as (_, held):
        assert all(held)
        _, other = choosers
        other.tell(do="choose", n_workers=1, gpus=2, at=0, devices=[1])
        assert other.has() == ["GPU-1"]
        other.tell(do="choose", n_workers=1, gpus=2, at=0)
        assert other.has() == ["GPU-0"], "the GPU with fewer claims"
        assert read_node().held_by(users[0].uid) == len(everything), "the holder is unknown"
        # Where the site allows each user two claims, the others do not count.
        assert sum(read_node(per_user=2).counts.values()) == 4
