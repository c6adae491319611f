"""The first and the last cell: which cluster a lesson uses, and what is left afterwards."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import dask
import gpucluster
import numpy as np
import pytest
from gpucluster import lessons
from gpucluster.client import api
from gpucluster.client.libraries import libraries_for, use_libraries
from gpucluster.client.starting import capacity
from gpucluster.lessons import lab as lab_module
from gpucluster.lessons.lab import CLUSTER_VARIABLE, LessonClosed, current_client
from gpucluster.lessons.results import State
from gpucluster.protocol.errors import ClusterNotFound, InvalidRequest

pytestmark = pytest.mark.usefixtures("registry")


def living() -> list[str]:
    return [model.name for model in gpucluster.list() if not model.state.ended]


@pytest.mark.parametrize(("gpus", "asked"), [(None, 2), (1, 1), (8, 2)])
def test_a_lesson_takes_the_one_gpu_and_no_more_than_two(gpus: int | None, asked: int, monkeypatch: Any) -> None:
    wanted = []

    def note(backend: str, **options: Any) -> None:
        wanted.append((backend, options["n_workers"]))
        raise InvalidRequest("enough is known")

    monkeypatch.setattr(capacity, "usable_gpus", lambda: gpus)
    monkeypatch.setattr(api, "create", note)
    with pytest.raises(InvalidRequest, match="enough is known"):
        lessons.start("06")
    assert wanted == [("auto", asked)]


@pytest.mark.full
def test_a_gpu_that_cuda_cannot_use_leaves_a_lesson_its_two_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "usable_gpus", lambda: 1)
    lab = lessons.start("06")
    try:
        assert (lab.cluster.backend, lab.cluster.n_workers) == ("local", 2)
    finally:
        lab.close()


@pytest.mark.full
def test_a_lesson_makes_a_cluster_finds_it_again_and_stops_it(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lessons.start("06")
    assert living() == ["lesson-06"]
    assert first.owns_cluster
    assert first.cluster.n_workers == 2
    assert current_client() is first.client
    said = capsys.readouterr().out
    assert "lesson-06 (made by this lesson; the last cell stops it)" in said
    assert "2 CPU workers, 1 thread each" in said
    assert "arrays: numpy" in said

    again = lessons.start("06")  # the cell is run a second time
    assert living() == ["lesson-06"]
    assert first.closed
    assert again.owns_cluster

    monkeypatch.setattr(lab_module, "_current", None)  # the kernel is restarted
    lab = lessons.start("06")
    assert living() == ["lesson-06"]
    assert lab.owns_cluster
    assert lab.client.submit(sum, [1, 2]).result() == 3
    again.client.close()  # the restarted kernel has lost it
    capsys.readouterr()
    lab.close()
    lab.close()
    assert living() == []
    assert capsys.readouterr().out == "Stopped lesson-06.\n"
    assert current_client() is None


PROGRAM = """
import json, sys
from gpucluster import lessons
names = {"lessons": lessons}
for line in sys.stdin:
    exec(json.loads(line), names)
    print("done", flush=True)
"""


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], str]]:
    """A second notebook: code that runs in its own process, as a kernel does; returns what it has printed."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def run(code: str) -> str:
            process.stdin.write(json.dumps(code) + "\n")
            process.stdin.flush()
            lines = []
            while (line := process.stdout.readline()) != "done\n":
                assert line, "the other notebook has failed"
                lines.append(line)
            return "".join(lines)

        yield run
        process.stdin.close()


@pytest.mark.full
def test_lessons_side_by_side_do_not_end_each_others_work(elsewhere: Callable[[str], str], capsys: Any) -> None:
    # Nothing lives here yet, either: the cluster of the other tests comes later.
    lab = lessons.start("06")
    said = elsewhere("lab = lessons.start('05'); data = lab.client.scatter([1, 2, 3])")
    assert "lesson-05 (made by this lesson" in said
    assert "lesson-06: close that lesson when you are done" in said
    assert sorted(living()) == ["lesson-05", "lesson-06"]
    lab.close()
    assert living() == ["lesson-05"]
    assert elsewhere("print(lab.client.gather(data))") == "[1, 2, 3]\n"
    capsys.readouterr()

    copy = lessons.start("05")  # another copy of the same lesson: the same cluster
    assert living() == ["lesson-05"]
    copy.close()
    assert "lesson-05 keeps running, as another program is connected to it." in capsys.readouterr().out
    assert elsewhere("print(lab.client.gather(data))") == "[1, 2, 3]\n"

    # A lesson that ends workers shares no cluster, not even with another copy of itself.
    assert "lesson-04 (made" in elsewhere("lab.close(); lab = lessons.start('04', apart=True)")
    apart = lessons.start("04", apart=True)
    assert sorted(living()) == ["lesson-04", "lesson-04-2"]
    apart.close()
    assert living() == ["lesson-04"]
    with pytest.raises(InvalidRequest, match="ends workers on purpose, and 1 other program is connected to lesson-04"):
        lessons.start("04", cluster="lesson-04", apart=True)
    assert "Stopped lesson-04." in elsewhere("lab.close()")
    assert living() == []


@pytest.mark.full
def test_a_closed_lesson_says_so_in_a_sentence() -> None:
    def kmeans(client: Any, parts: Any, start: Any, *rest: Any) -> Any:
        return lab.client.gather(parts)

    lab = lessons.start("06")
    old = lab.client
    lab.close()
    assert repr(lab).startswith("Lesson 06 is closed.")
    for use in (lambda: lab.client, lambda: lab.cluster, lab.traffic, lambda: lab.report(k=3)):
        with pytest.raises(LessonClosed, match=r"^Lesson 06 is closed\. Run its first code cell") as caught:
            use()
        assert caught.value._render_traceback_() == [str(caught.value)]  # all that IPython shows
    for client in (None, old):
        result = lessons.check("06.5", kmeans, client=client)
        assert result.state is State.UNAVAILABLE
        assert result.message.startswith("This check needs a cluster. Lesson 06 is closed.")
    assert lessons.check("06.2", lambda points, centroids: 0).state is State.FAILED  # needs none


@pytest.mark.full
def test_a_check_on_a_cluster_that_has_ended_says_so() -> None:
    lab = lessons.start("06")

    def kmeans(client: Any, *rest: Any) -> Any:
        lab.cluster.stop()  # a click on Stop in the panel
        return client.submit(sum, [1, 2]).result()

    for _ in range(2):
        result = lessons.check("06.5", kmeans)
        assert result.state is State.UNAVAILABLE
        assert "The cluster of lesson 06, lesson-06, has ended. Run its first code cell" in result.message
    with pytest.raises(LessonClosed, match="has ended"):
        lab.traffic()
    lab.close()


def test_a_running_cluster_is_used_and_kept(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lab = lessons.start("06")
    assert lab.cluster.id == cluster.id
    assert "was already running" in capsys.readouterr().out
    lab.close()
    assert living() == ["classroom"]
    assert cluster.state == "running"
    apart = lessons.start("04", apart=True)
    assert apart.cluster.name == "lesson-04"
    apart.close()
    assert "classroom keeps running" in capsys.readouterr().out


@pytest.mark.full
def test_several_clusters(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    second = gpucluster.create("local", name="another", n_workers=1)
    with pytest.raises(InvalidRequest, match="Several clusters are running: .*another.*Choose one"):
        lessons.start("06")

    lab = lessons.start("06", cluster="another")
    assert lab.cluster.id == second.id
    lab.close()
    monkeypatch.setenv(CLUSTER_VARIABLE, "another")
    lab = lessons.start("06")
    assert lab.cluster.id == second.id
    assert not lab.owns_cluster
    lab.close()
    assert sorted(living()) == ["another", "classroom"]
    second.stop()

    monkeypatch.setenv(CLUSTER_VARIABLE, "absent")
    with pytest.raises(ClusterNotFound, match="absent"):
        lessons.start("06")


def test_collections_are_of_the_kind_of_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    with dask.config.set({}):
        use_libraries(libraries_for(has_gpus=False))
        assert dask.config.get("array.backend") == "numpy"
        # GPU workers, but a kernel without CuPy: NumPy blocks run there too, with a message to the learner.
        here = libraries_for(has_gpus=True)
        assert (here.arrays, here.frames) == ("numpy", "pandas")
        assert here.warning is not None and "This kernel has no cupy" in here.warning
        monkeypatch.setattr("gpucluster.client.libraries._gpu_problem", lambda: None)
        use_libraries(libraries_for(has_gpus=True))
        assert dask.config.get("array.backend") == "cupy"
        assert dask.config.get("dataframe.backend") == "cudf"
        use_libraries(libraries_for(has_gpus=False))


def test_traffic_counts_what_leaves_the_workers(client: Any) -> None:
    def make(seed: int) -> Any:
        return np.random.default_rng(seed).random(125_000)

    big = client.map(make, [1, 2], pure=False, workers=None)
    client.gather(client.map(len, big, pure=False))
    with lessons.Traffic(client) as small:
        client.gather(client.map(np.sum, big, pure=False))
    assert 0 < small.bytes < 1000
    with lessons.Traffic(client) as everything:
        client.gather(big)
    assert 2_000_000 <= everything.bytes < 2_010_000
    with lessons.Traffic(client) as nothing:
        pass
    assert nothing.bytes == 0


def test_what_workers_send_to_each_other_does_not_count(client: Any) -> None:
    first, second = list(client.scheduler_info()["workers"])
    array = client.submit(np.ones, 100_000, workers=[first], pure=False)
    with lessons.Traffic(client) as traffic:
        assert client.submit(np.sum, array, workers=[second], pure=False).result() == 100_000
    assert 0 < traffic.bytes < 1000
