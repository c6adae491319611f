"""Starts that fail at each stage: the real cause in the error, and nothing left running.

The failures are real: Dask's ``preload`` runs our code in the scheduler and in the workers.
"""

import re
from pathlib import Path

import gpucluster
import psutil
import pytest
from gpucluster.backends.backend import StartContext
from gpucluster.backends.local import LocalBackend, LocalSpec
from gpucluster.cli import main
from gpucluster.client.starting.launch import _origin
from gpucluster.protocol.errors import InvalidRequest, PreflightFailed, ScaleFailed, StartFailed
from gpucluster.protocol.models import ClusterState
from IPython.core.interactiveshell import InteractiveShell

PRELOAD = str(Path(__file__).parent / "failing" / "preload.py")


@pytest.fixture
def fails(shared_site, monkeypatch, wait_until, tmp_path):
    """Return what requests a cluster whose start fails in a given way; stop all clusters at the end."""

    def start(fault: str, *, where: str = "worker", preload: str = PRELOAD, **options):
        monkeypatch.setenv(f"DASK_DISTRIBUTED__{where.upper()}__PRELOAD", preload)
        monkeypatch.setenv("GPUCLUSTER_TEST_FAULT", fault)
        monkeypatch.setenv("GPUCLUSTER_TEST_MARK", str(tmp_path / "mark"))
        return shared_site.create(**options)

    yield start
    for model in shared_site.control.list():
        shared_site.control.stop(model.id)
    wait_until(lambda: not shared_site.processes(), what=lambda: [p.cmdline() for p in shared_site.processes()])


@pytest.fixture
def ended(shared_site, wait_until):
    """Return what waits for the end of a start that fails, and checks that no secret and no scratch stays."""

    def wait(model):
        with pytest.raises(StartFailed) as error:
            shared_site.control.wait(model.id)
        model = shared_site.wait_for(model.id, lambda model: model.state.ended)
        assert model.state is ClusterState.FAILED
        assert error.value.message == model.reason
        assert (model.n_workers, model.workers, model.scheduler_address, model.dashboard_path) == (0, [], None, None)
        wait_until(lambda: not shared_site.processes(), timeout=30)
        folder = shared_site.registry.folder(model.id)
        assert sorted(path.name for path in folder.path.iterdir()) == ["activity", "lock", "log", "state.json"]
        entries = shared_site.control.activity(model.id).entries
        assert any(model.reason in entry.message for entry in entries if entry.kind == "failure"), entries
        return model

    return wait


@pytest.mark.parametrize(
    ("fault", "n_workers", "reason"),
    [
        ("all-raises", 1, "1 of 1 workers could not start: RuntimeError: the disk of this worker is broken."),
        ("all-chained", 1, "1 of 1 workers could not start: OSError: [Errno 28] No space left on device."),
        ("all-dies", 1, "1 of 1 workers could not start: "),
        ("second-raises", 2, "1 of 2 workers could not start: RuntimeError: the disk of this worker is broken."),
    ],
    ids=["first worker", "hidden cause", "worker dies", "some workers"],
)
def test_real_cause_is_reported(ended, fails, fault, n_workers, reason):
    model = ended(fails(fault, n_workers=n_workers))
    assert model.reason.startswith(reason)
    assert model.reason.endswith(".")
    assert "\n" not in model.reason
    assert model.log_tail


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (b"x = = 1\n", "SyntaxError: invalid syntax (setup_worker.py, line 1)"),
        (
            b"if True:\nx\n",
            "IndentationError: expected an indented block after 'if' statement on line 1 (setup_worker.py",
        ),
        (b"b'\\xff'.decode()\n", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: "),
    ],
)
def test_error_of_a_preload_is_reported_completely(ended, fails, tmp_path, code, reason):
    preload = tmp_path / "setup_worker.py"
    preload.write_bytes(code)
    assert reason in ended(fails("none", preload=str(preload))).reason


def test_a_scheduler_that_cannot_listen(ended, fails, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CIPHERS", "NONSENSE")
    assert ended(fails("none", protocol="tls")).reason.startswith("The cluster could not start: SSLError: ")


def test_scheduler_that_cannot_be_made(ended, fails):
    model = ended(fails("none", where="scheduler", preload="no_such_module_anywhere"))
    assert model.reason == "The cluster could not start: the module 'no_such_module_anywhere' is not installed."


def test_a_failure_after_all_workers_have_come(shared_site, fails):
    with pytest.raises(StartFailed):
        shared_site.control.wait(fails("record", where="scheduler", name="late").id)
    model = shared_site.wait_for("late", lambda model: model.state.ended)
    assert model.state is ClusterState.FAILED
    assert model.reason.endswith("see the log.")
    assert any("dashboard.json" in line for line in model.log_tail)


@pytest.mark.parametrize(
    ("directory", "words"),
    [("/proc/place", "No such file or directory"), ("/proc", "cannot be used"), ("/dev/null", "Not a directory")],
)
def test_unusable_local_directory_is_refused_before_the_start(shared_site, ended, fails, directory, words):
    model = ended(fails("none", local_directory=directory))
    assert model.reason.startswith(f"local_directory: {directory} cannot be used")
    assert words in model.reason
    assert not any("distributed.scheduler" in line for line in shared_site.control.logs(model.id).lines)


async def test_more_workers_than_memory_are_refused(shared_site, monkeypatch):
    """In this process, whose view of the machine's memory can be changed."""
    memory = psutil.virtual_memory()._replace(available=250 * 2**20)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
    context = StartContext("0123abcd", None, shared_site.directory, "prefix")
    with pytest.raises(PreflightFailed, match="3 workers need about 300 MiB of memory, but only 250 MiB is free"):
        await LocalBackend().preflight(LocalSpec(n_workers=3), context)
    plan = await LocalBackend().preflight(LocalSpec(n_workers=2), context)
    assert (plan.n_workers, plan.maximum_workers) == (2, 2)


def test_a_start_that_hangs_can_be_stopped(shared_site, fails, wait_until, tmp_path):
    model = fails("all-hangs", name="slow")
    wait_until((tmp_path / "mark").exists)
    assert shared_site.get("slow").state is ClusterState.STARTING
    stopped = shared_site.control.stop("slow")
    assert (stopped.id, stopped.state) == (model.id, ClusterState.STOPPED)
    wait_until(lambda: not shared_site.processes())


def test_unusable_python_is_refused_at_once(shared_site, tmp_path):
    before = shared_site.registry.folders()
    with pytest.raises(StartFailed, match="The Python /no/python cannot be started: No such file"):
        shared_site.control.create({"backend": "local"}, python="/no/python")
    install = rf"has no gpucluster\. Install it there: .* -m pip install {re.escape(_origin())}$"
    with pytest.raises(StartFailed, match=install):
        empty = tmp_path / "python"
        empty.write_text('#!/bin/sh\necho "$0: No module named gpucluster" >&2\nexit 1\n')
        empty.chmod(0o755)
        shared_site.control.create({"backend": "local"}, python=str(empty))
    with pytest.raises(InvalidRequest, match="there is no Jupyter kernel named 'nonesuch' here"):
        shared_site.control.create({"backend": "local", "kernel_name": "nonesuch"})
    assert len(shared_site.registry.folders()) == len(before), "nothing was left"


@pytest.mark.full
def test_failed_scale_up_keeps_the_other_workers(shared_site, fails, capsys):
    """Scaling up fails: the cluster continues with its workers and reports why."""
    shared_site.control.wait(fails("second-raises", name="half", n_workers=1).id)
    half = gpucluster.connect("half")
    why = "1 of 2 workers could not start: RuntimeError: the disk of this worker is broken."
    with pytest.raises(ScaleFailed) as failed:
        half.scale(2)
    assert failed.value.message == why
    model = half.model
    assert (model.n_workers, model.wanted.n_workers, model.notice, model.reason) == (1, 1, why, None)
    # The same in a shell, and in a notebook, where only the message is shown.
    assert main(["scale", "half", "2"]) == 5
    assert capsys.readouterr() == ("", f"{why}\n")
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "gpucluster")
    shell.run_line_magic("gpucluster", "scale half 2")
    assert capsys.readouterr().err == f"{why}\n"
    shell.push({"half": half})
    shell.run_cell("half.scale(2)")
    assert capsys.readouterr().out == f"ScaleFailed: {why}\n  line 1: half.scale(2)\n"
    half.scale(1)
    assert half.model.notice is None
    with half.get_client() as client:
        assert client.submit(lambda: "usable").result(60) == "usable"
    shared_site.control.stop("half")
