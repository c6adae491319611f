"""A cluster that waits for its turn to start has that in its record, can be stopped, and starts in the end."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.operating_system import LINUX
from gpucluster.protocol.models import ClusterState
from gpucluster.sharing import turns
from gpucluster.sharing.node import VARIABLE
from gpucluster.sharing.turns import Turn
from gpucluster.supervisor.process import preloading
from gpucluster.supervisor.process.preloading import PRELOAD_LATER

from tests.conftest import PATIENCE_SECONDS, Site

pytestmark = pytest.mark.skipif(not LINUX, reason="needs Linux: elsewhere starts of others are unknown")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Turn]]:
    """A separate machine, with one start more than it has processors."""
    monkeypatch.setenv(VARIABLE, os.urandom(4).hex())
    monkeypatch.setattr(turns, "MOST_OF_A_USER", 1000)
    first = Turn.take()
    assert first is not None
    found = [first, *filter(None, (Turn.take() for _ in range(first.at_a_time)))]
    yield found
    for turn in found:
        turn.leave()


def test_answer_names_queue_position(busy: list[Turn], site: Site) -> None:
    model = site.create()
    assert model.progress is not None and model.progress.step == "turn"
    message = re.fullmatch(r"In queue: (\d+) clusters? starts? before this one on this machine", model.progress.message)
    # On a busy machine some turns are too old to count.
    assert message is not None and 1 <= int(message[1]) <= len(busy), model.progress.message
    for turn in busy:
        turn.leave()
    running = site.control.wait(model.id, timeout=PATIENCE_SECONDS)
    assert running.state is ClusterState.RUNNING and running.progress is None
    after = Turn.take()
    assert after is not None and after.before() == 0, "a running cluster has left the queue"
    after.leave()


KILLED = """
import os
from gpucluster.client.starting import launch
from gpucluster.client.control import Control
launch.select.select = lambda *_: os._exit(0)  # It has just started the cluster's process.
Control().create({"backend": "local", "n_workers": 1})
"""


@pytest.mark.parametrize("killed", [False, True], ids=["asked", "asker-killed"])
def test_waiting_cluster_can_be_stopped(busy: list[Turn], site: Site, killed: bool) -> None:
    if busy[0].at_a_time > 2:
        pytest.skip("needs a machine of two processors: two starts of one user count in the process that waits")
    if killed:
        site.python(KILLED).communicate()
    model = site.get("cluster-1") if killed else site.create()
    stopped = site.control.stop(model.id)
    assert stopped.state is ClusterState.STOPPED
    assert stopped.reason == "Stopped while waiting to start."


def test_shared_machine_skips_later_imports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))
    for text, wanted, nice in (
        (None, None, 0),
        ("title: Alone\n", None, 0),
        ("sharing:\n  slots_per_gpu: 2\n", "0", 5),
        ("sharing:\n  per_user: {clusters: 2}\n", "0", 5),
    ):
        for name in (PRELOAD_LATER, preloading.NICE):
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
        if text is not None:
            file.write_text(text)
        preloading.spare_where_many_share()
        assert (os.environ.get(PRELOAD_LATER), preloading.niceness()) == (wanted, nice), text
    monkeypatch.setenv(PRELOAD_LATER, "1")
    preloading.spare_where_many_share()
    assert os.environ[PRELOAD_LATER] == "1"
    for value, nice in (("0", 0), ("7", 7), ("99", 19), ("-3", 0), ("much", 0)):
        monkeypatch.setenv(preloading.NICE, value)
        preloading.spare_where_many_share()
        assert preloading.niceness() == nice
