"""What lesson 14 works with: scripts as Slurm reads them, tunnels, the loop, processes started by hand, figures."""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import Client
from gpucluster.lessons.course.lesson_14_onto_the_machine import material, probes
from gpucluster.lessons.figures import site as figures

from tests.lessons.drawings import SVG, drawings_of

SCRIPT = '#!/bin/bash\n#SBATCH -N 2 --exclusive\necho "job ${SLURM_JOB_ID:-none}"\n#SBATCH --nodes=3\n'


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Slurm here, even if one is installed."""
    monkeypatch.setattr("gpucluster.lessons.course.lesson_14_onto_the_machine.probes.shutil.which", lambda _: None)


def test_directives_are_read_up_to_the_first_command() -> None:
    assert material.asked_for(SCRIPT) == {"nodes": "2", "exclusive": True}
    assert material.body(SCRIPT) == ['echo "job ${SLURM_JOB_ID:-none}"']
    assert material.asked_for("#SBATCH\t--time 5 # --nodes=9\n##SBATCH -N 3\n #SBATCH -N 4\n") == {"time": "5"}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("90", 90), ("30:30", 30.5), ("1:30:00", 90), ("2-12", 3600), ("1-01:30", 1530), ("1-00:00:30", 1440.5),
     ("soon", None), (True, None), (None, None)],
)  # fmt: skip
def test_time_limits_are_read_as_slurm_writes_them(text: object, minutes: float | None) -> None:
    assert material.minutes(text) == minutes


@pytest.mark.processes
def test_without_slurm_a_script_is_read_and_run(nowhere: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")  # a notebook in a job is not the script's job
    monkeypatch.chdir(tmp_path)
    batch = probes.BatchSystem()
    assert not batch.real and "no Slurm" in repr(batch)
    outcome = batch.submit(SCRIPT)
    assert (outcome.job, outcome.state, outcome.output) == ("", "run here", "job none\n")
    assert outcome.asked == {"nodes": "2", "exclusive": True}
    assert "asked for: nodes=2, exclusive=True" in repr(outcome)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(probes.SubmissionRefused, match="does not look like a batch script"):
        batch.submit("\n" + SCRIPT)
    assert "no job was requested" in batch.looked_at(SCRIPT)


# Not importorskip, which would give SIGINT away to it: see test_batch_scripts.py.
@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs the package 'dask-jobqueue'")
def test_jobqueues_script_needs_no_slurm_and_starts_nothing() -> None:
    script = material.jobqueue_script(cores=8, memory="100 GB", queue="q1", account="a1", walltime="01:00:00")
    asked = material.asked_for(script)
    assert (asked["partition"], asked["account"], asked["cpus-per-task"]) == ("q1", "a1", "8")
    assert "gres" not in asked
    assert "distributed.cli.dask_worker" in material.body(script)[-1]


def test_jobqueue_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask_jobqueue.slurm", None)
    assert "pip install 'gpucluster[slurm]'" in material.jobqueue_script(cores=1, memory="1 GB")


@pytest.mark.processes
@pytest.mark.full
def test_a_dry_run_that_would_be_refused_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CONF", "/nowhere/slurm.conf")
    assert probes.dry_run("slurm", n_workers=2).startswith("Nothing to show here: ")
    assert "walltime" in probes.dry_run("slurm", walltime="soon")
    assert "no-such-kind" in probes.dry_run("no-such-kind")


SITE: dict[str, Any] = {"login": "login.x", "node": "n7", "port": 8888}


@pytest.mark.parametrize(
    ("line", "loopback", "works", "told"),
    [
        ("ssh -N -J me@login.x -L 9000:localhost:8888 me@n7", True, True, "http://localhost:9000"),
        ("ssh -NL 9000:n7:8888 me@login.x", False, True, "http://localhost:9000"),
        ("ssh -N -o ProxyJump=login.x -L 9000:127.0.0.1:8888 n7", True, True, "9000"),
        ("ssh -N -L 8888:localhost:8888 me@login.x", True, False, "login node, where no Jupyter is"),
        ("ssh -N -L 8888:n7:8888 me@login.x", True, False, "refused"),
        ("ssh -N -J login.x -L 8888:localhost:8888 n7", False, False, "refused"),
        ("ssh -N -L 8888:localhost:8888 me@n7", True, False, "the laptop cannot reach n7"),
        ("ssh -N -J login.x -L 8888:localhost:9999 n7", True, False, "port 9999; Jupyter listens on 8888"),
        ("ssh -N -J login.y -L 8888:localhost:8888 n7", True, False, "login.y is not known"),
        ("ssh -N me@login.x", True, False, "0 forwardings"),
        ("ssh -R 1:localhost:2 me@login.x", True, False, "cannot parse"),
        ("ssh -N -L 8888:localhost:8888", True, False, "name of a machine"),
        ("ssh -N 'me@login.x", True, False, "cannot parse"),
        ("ssh -N -L 8888 -J login.x n7", True, False, "forwards nothing"),
    ],
)
def test_a_tunnel_is_followed_to_its_end(line: str, loopback: bool, works: bool, told: str) -> None:
    route = material.follow(line, loopback=loopback, **SITE)
    assert route.works is works
    assert told in route.told


def test_a_tunnel_says_who_logs_in_and_who_may_use_it() -> None:
    route = material.follow("ssh -N -J a@login.x -L 9000:localhost:8888 b@n7", loopback=True, **SITE)
    assert (route.users, route.only_tunnel, route.for_all, route.local_port) == (("a", "b"), True, False, 9000)
    for line in (
        "ssh -g -L 9000:n7:8888 login.x",
        "ssh -L 0.0.0.0:9000:n7:8888 login.x",
        "ssh -L :9000:n7:8888 login.x",
    ):
        route = material.follow(line, loopback=False, **SITE)
        assert route.works and route.for_all and not route.only_tunnel
    assert not material.follow("ssh -L 9000:n7:8888 login.x ls", loopback=False, **SITE).only_tunnel
    assert not material.follow("ssh -L localhost:9000:n7:8888 login.x", loopback=False, **SITE).for_all


def test_what_arrives_at_one_port_is_handed_on_to_another() -> None:
    text = "ä page" * 50_000
    with probes.Page(text) as page, probes.Forwarder(page.port) as tunnel:
        assert probes.page_at(tunnel.port) == probes.page_at(page.port) == text
        assert probes.page_at(tunnel.port) == text  # more than once
        assert tunnel.bytes_passed > 2 * len(text.encode())
        ports = {page.port, tunnel.port}
    assert not ports & {one.laddr.port for one in psutil.Process().net_connections("tcp") if one.status == "LISTEN"}


def test_the_loop_makes_what_is_wanted_and_no_more() -> None:
    history = material.run_loop(["a", "b", "c"], {0: 4, 11: 6, 16: 2}, {5: "a"}, 20)
    assert [one.running for one in history[:4]] == [0] * material.STARTS_AFTER + [4, 4]
    assert (history[5].running, history[5].starting) == (2, 2)
    assert history[7].running == 4
    assert (history[15].wanted, history[15].running) == (6, 4)
    assert "2 pending" in " ".join(history[11].told)
    assert history[-1].running == history[-1].wanted == 2
    assert material.run_loop([], {0: 1}, {}, 2)[-1].running == 0


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "with a space.json"
    assert [one.cmdline() for one in psutil.Process().children(recursive=True) if str(tmp_path) in one.cmdline()] == []


@pytest.mark.processes
@pytest.mark.full
def test_two_command_lines_are_a_cluster(by_hand: Path) -> None:
    scheduler = f"dask scheduler --port 0 --scheduler-file '{by_hand}'"
    worker = ["dask", "worker", "--scheduler-file", str(by_hand), "--nthreads", "1", "--nworkers", "1"]
    with probes.StartedByHand(by_hand, scheduler, worker), Client(scheduler_file=str(by_hand)) as client:
        client.wait_for_workers(1, timeout=30)
        assert client.submit(os.getpid).result() != os.getpid()


@pytest.mark.processes
def test_a_command_that_cannot_run_is_a_sentence(by_hand: Path) -> None:
    with pytest.raises(RuntimeError, match="must begin with 'dask'"), probes.StartedByHand(by_hand, "dask-scheduler"):
        pass
    with (
        pytest.raises(RuntimeError, match="exited immediately"),
        probes.StartedByHand(by_hand, "dask scheduler --nonsense"),
    ):
        pass


@pytest.mark.processes
def test_it_is_looked_up_what_an_installation_can_do(tmp_path: Path) -> None:
    (tmp_path / "mlx5_0").touch()
    assert probes.fabric(tmp_path)["InfiniBand devices"] == "mlx5_0"
    assert probes.fabric(tmp_path / "none")["InfiniBand devices"] == "none"
    assert probes.installed("distributed") != "not installed"
    assert probes.installed("no-such-package") == "not installed"
    assert probes.mpi_library()


@pytest.mark.processes
def test_the_folder_decides_which_copy_is_imported(tmp_path: Path) -> None:
    assert Path(probes.imported_from("dask", folder=tmp_path)).name == "__init__.py"
    (tmp_path / "dask.py").touch()
    assert Path(probes.imported_from("dask", folder=tmp_path)) == tmp_path.resolve() / "dask.py"
    assert probes.imported_from("no_such_module", folder=tmp_path) == "nowhere"


def test_a_reduction_runs_where_its_framework_is(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "find_spec", lambda _: None)
    found = probes.reduce_everywhere(client, [[1, 2], [3], [4, 5]], sum, lambda a, b: a + b)
    assert found["Dask"][0] == 15
    assert found["Ray"] == "not installed here (pip install ray)"
    assert found["Spark"] == "not installed here (pip install pyspark)"


def test_every_rule_is_about_a_package_of_the_old_line() -> None:
    names = {word.split("=")[0] for word in material.OLD_INSTALLATION.split()}
    assert set(material.RULES) <= names


def test_the_figures_say_what_they_show(shown: list[Any]) -> None:
    figures.connections()
    assert len(drawings_of(shown[0])) == 7
    assert "Compute nodes do not reach the internet: refused" in repr(shown[0])
    job = {"start": 0.5, "end": 4.0, "nodes": 2, "cores": 32, "gpus": 4, "busy": [(0.0, 1.0), (3.0, 9.0), (5.0, 6.0)]}
    figures.allocation([job], (7.0, 4.0))
    [picture] = drawings_of(shown[1])
    titles = [title.text for title in picture.iter(f"{SVG}title")]
    assert titles == ["charged from 0.5 h to 4 h", "computes from 0.5 h to 1 h", "computes from 3 h to 4 h"]
    assert "4.00 of them idle (57%)" in repr(shown[1])
    figures.pods(material.run_loop(["a", "b"], {0: 3}, {4: "a"}, 8))
    assert "round 4: a fails, 2 pods are lost" in repr(shown[2])
    drawings_of(shown[2])
    for line in (
        "ssh -N -L 1:localhost:8888 login.site.org",
        "ssh -N -L 1:localhost:2 n7",
        "scp",
        "ssh -N -L 1:n7:8888 x",
    ):
        figures.tunnel(line, node="n7", port=8888, loopback=True)
        drawings_of(shown[-1])


def test_an_empty_answer_draws_nothing(shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    figures.allocation([{"start": 0, "end": 1, "nodes": 1, "cores": 1, "gpus": 0, "busy": []}], None)
    assert shown == []
    assert "Nothing to draw yet" in capsys.readouterr().out
