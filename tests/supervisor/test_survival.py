"""After processes were killed, nothing of a dead supervisor is left, and everything of a dead client."""

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import gpucluster
import psutil
import pytest
from gpucluster.client import stopping
from gpucluster.client.control import Control
from gpucluster.operating_system.files import NotPlain, read_plain_file
from gpucluster.protocol.errors import AccessDenied, StartTimedOut
from gpucluster.protocol.models import ClusterState
from gpucluster.registry.record import ProcessIdentity, Record, now

GONE_WITHIN_SECONDS = 5.0


def survivors(family):
    return [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def kill_supervisor(site, model, family, wait_until):
    """Kill the supervisor, and check that its family is gone in time."""
    psutil.Process(model.pid).kill()
    started = time.monotonic()
    wait_until(lambda: not survivors(family), timeout=GONE_WITHIN_SECONDS, what=lambda: survivors(family))
    return time.monotonic() - started


def test_nothing_outlives_a_killed_supervisor(site, wait_until, tmp_path):
    """Not even workers that sleep, that hold the interpreter in a long C call, or that are starting."""
    model = site.running(name="victim", n_workers=2, local_directory=str(tmp_path))
    client = gpucluster.connect("victim").get_client()
    busy = [tmp_path / "asleep", tmp_path / "counting"]

    def sleep(path):
        import pathlib
        import time

        pathlib.Path(path).touch()
        time.sleep(600)

    def hold_the_interpreter(path):
        import pathlib

        pathlib.Path(path).touch()
        return sum(range(10**12))  # One C call that holds the interpreter.

    futures = [client.submit(sleep, str(busy[0])), client.submit(hold_the_interpreter, str(busy[1]))]
    wait_until(lambda: all(path.exists() for path in busy))
    family = site.family(model)
    assert {worker.pid for worker in model.workers} <= {process.pid for process in family}
    assert len(family) >= 4, "supervisor, forkserver, two workers"
    folder = site.registry.folder(model.id)
    semaphores = [path.name for path in Path("/dev/shm").iterdir() if model.id in path.name]
    assert folder.multiprocessing.is_dir()
    assert semaphores
    kill_supervisor(site, model, family, wait_until)
    assert not site.processes()

    ended = site.get("victim")
    assert ended.state is ClusterState.FAILED
    assert f"(pid {model.pid}) is gone" in ended.reason
    assert ended.log_tail
    assert any("distributed" in line for line in ended.log_tail)
    assert not [path for path in Path("/dev/shm").iterdir() if model.id in path.name]
    assert sorted(path.name for path in folder.path.iterdir()) == ["activity", "lock", "log", "state.json"]
    assert not (tmp_path / f"gpucluster-{model.id}").exists()
    assert site.control.logs("victim").lines
    assert site.control.stop("victim") == ended, "stopping what has failed changes nothing"

    again = site.create(name="victim")
    assert again.id != model.id
    assert site.get("victim").id == again.id
    site.control.remove(model.id)
    assert [item.id for item in site.control.list()] == [again.id]
    del futures
    client.close(timeout=1)


def test_supervisor_killed_during_start_leaves_nothing(site, wait_until):
    model = site.create(name="early")
    pid = wait_until(lambda: site.get("early").pid)
    wait_until(lambda: len(psutil.Process(pid).children(recursive=True)) >= 1)
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    kill_supervisor(site, model.model_copy(update={"pid": pid}), family, wait_until)
    wait_until(lambda: not site.processes(), timeout=GONE_WITHIN_SECONDS)
    assert site.get("early").state is ClusterState.FAILED
    site.control.remove("early")


def test_forged_record_kills_no_stranger(site, wait_until):
    """The pid of a dead supervisor is another process's now; the cluster does not end automatically."""
    stranger = site.python("import time; print(flush=True); time.sleep(600)")
    stranger.stdout.readline()
    try:
        model = site.running(name="stale")
        folder = site.registry.folder(model.id)
        record = site.registry.read(folder)
        psutil.Process(model.pid).suspend()  # It does not respond, but holds its lock.
        forged = ProcessIdentity(pid=stranger.pid, birth=record.process.birth)
        site.registry.write(folder, record.model_copy(update={"process": forged}))
        stopping.signal_supervisor(site.registry, folder, signal.SIGKILL)
        assert stranger.poll() is None
        psutil.Process(model.pid).kill()
        assert site.wait_for("stale", lambda model: model.state.ended).state is ClusterState.FAILED
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.communicate()


CLIENT = """
import json, os, sys, time
import gpucluster
from distributed import Variable

cluster = gpucluster.create("local", name="kept", n_workers=2, idle_timeout_seconds=None)
client = cluster.get_client()

def add(number, goal):
    import pathlib, time
    pathlib.Path(f"{goal}-{number}").touch()
    while not pathlib.Path(goal).exists():
        time.sleep(0.01)
    return number * number

parts = client.map(add, range(4), goal=sys.argv[1], pure=False)
total = client.submit(sum, parts)
client.publish_dataset(total=total)
print(json.dumps({"id": cluster.id, "pid": cluster.model.pid, "total": total.key}), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
@pytest.mark.full
def test_cluster_outlives_its_creator(site, wait_until, tmp_path, number, group):
    """A kernel or a Jupyter server, killed in the middle of a computation, alone or with its process group."""
    goal = tmp_path / "go"
    maker = site.python(CLIENT, str(goal), start_new_session=True)
    try:
        created = json.loads(maker.stdout.readline())
        wait_until(lambda: list(tmp_path.glob("go-*")))
    finally:
        (os.killpg if group else os.kill)(maker.pid, number)
        maker.communicate(timeout=60)
    assert maker.returncode == -number

    # Seen from another process; then the computation continues and its result is right.
    look = "import gpucluster, json; print(json.dumps([(m.id, m.state, m.pid) for m in gpucluster.list()]))"
    out, err = site.python(look).communicate(timeout=60)
    assert json.loads(out) == [[created["id"], "running", created["pid"]]], err
    client = gpucluster.connect("kept").get_client()
    try:
        goal.touch()
        assert client.get_dataset("total").result(90) == 0 + 1 + 4 + 9
    finally:
        client.close()


INTERRUPTED = """
import gpucluster, sys
sys.stdout.write("go\\n"); sys.stdout.flush()
gpucluster.create("local", name="interrupted", n_workers=1)
"""


@pytest.mark.parametrize("early", [True, False], ids=["at once", "while it starts"])
def test_an_interrupted_create_leaves_nothing(site, wait_until, tmp_path, early):
    """Ctrl-C in a kernel or script while ``create`` waits; the worker waits for the interrupt."""
    waits, come = tmp_path / "waits", tmp_path / "come"
    preload = (
        f"import pathlib, time\npathlib.Path({str(waits)!r}).touch()\n"
        f"while not pathlib.Path({str(come)!r}).exists():\n    time.sleep(0.01)\n"
    )
    maker = site.python(INTERRUPTED, env={"DASK_DISTRIBUTED__WORKER__PRELOAD": json.dumps([preload])})
    maker.stdout.readline()
    wait_until(lambda: (any(site.registry.folders()) if early else waits.exists()) or maker.poll() is not None)
    maker.send_signal(signal.SIGINT)
    come.touch()
    _, err = maker.communicate(timeout=120)
    assert "KeyboardInterrupt" in err
    left = lambda: ([process.cmdline() for process in site.processes()], site.control.list())  # noqa: E731
    wait_until(lambda: not site.processes(), what=left)
    assert all(model.state.ended for model in site.control.list())


async def test_a_cancelled_request_leaves_nothing(site, wait_until):
    """The same for an asynchronous caller, cancelled before it knows the cluster's id."""
    import asyncio

    control = site.control.asynchronous
    creating = asyncio.create_task(control.create({"backend": "local", "n_workers": 1, "name": "cancelled"}))
    while not site.registry.folders():  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    creating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await creating
    assert [model.state for model in await control.list()] == [ClusterState.STOPPED]
    while site.processes():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def test_a_create_that_times_out_leaves_nothing(site, wait_until):
    with pytest.raises(StartTimedOut):
        gpucluster.create("local", name="late", n_workers=1, timeout=0)
    assert site.get("late").state is ClusterState.STOPPED
    wait_until(lambda: not site.processes())


def test_sigterm_stops_a_supervisor_in_good_order(site, wait_until):
    model = site.running(name="polite")
    family = site.family(model)
    os.kill(model.pid, signal.SIGTERM)
    ended = site.wait_for("polite", lambda model: model.state.ended)
    assert (ended.state, ended.reason) == (ClusterState.STOPPED, "Stopped by a signal.")
    wait_until(lambda: not survivors(family))


def break_a_look():
    from gpucluster.supervisor import controller

    def broken(deployment, **_):
        raise RuntimeError("a bug of ours")

    controller.whole = controller.observed
    controller.observed = broken


def repair_it():
    from gpucluster.supervisor import controller

    controller.observed = controller.whole


def test_cluster_without_secret_can_be_stopped(site, wait_until):
    model = site.running(name="locked", n_workers=0)
    site.registry.folder(model.id).secret.unlink()
    with pytest.raises(AccessDenied):
        site.control.patch("locked", {"n_workers": 1})
    stopped = site.control.stop("locked")
    assert stopped.state is ClusterState.STOPPED
    assert "killed" not in (stopped.reason or ""), "it ended regularly"
    wait_until(lambda: not site.processes())


@pytest.mark.full
def test_failing_check_is_reported_and_retried(site):
    """Without its checks a supervisor would never end."""
    site.running(name="watched", idle_timeout_seconds=None)
    with gpucluster.connect("watched").get_client() as client:
        client.run_on_scheduler(break_a_look)
        notice = site.wait_for("watched", lambda model: model.notice).notice
        assert notice == ("The cluster's process cannot manage the cluster (RuntimeError: a bug of ours); see the log.")
        assert any("a bug of ours" in line for line in site.control.logs("watched").lines)
        client.run_on_scheduler(repair_it)
        site.wait_for("watched", lambda model: model.notice is None)
        client.run_on_scheduler(break_a_look)
    site.control.patch("watched", {"idle_timeout_seconds": 1})
    assert site.wait_for("watched", lambda model: model.state.ended).reason.startswith("Idle for 1 second")


@pytest.mark.full
def test_damaged_record_is_rewritten(site, wait_until):
    model = site.running(name="damaged", n_workers=0)
    folder = site.registry.folder(model.id)
    other, held = site.registry.new_folder()
    ended = {"id": other.id, "name": "other", "state": ClusterState.STOPPED, "ended_at": now()}
    site.registry.write(other, Record(kind="cluster", cluster=model.model_copy(update=ended)))
    os.close(held)

    def is_whole():
        with suppress(OSError, ValueError, NotPlain):
            record = read_plain_file(folder.state, 2**20, below=folder.path)
            return Record.model_validate_json(record).cluster.name == "damaged"

    def folder_with_a_file(path):
        path.mkdir()
        (path / "file").touch()

    def large(path):
        with path.open("wb") as file:
            file.truncate(3 * 2**30)

    damages = [
        lambda path: path.write_bytes(b"{nonsense"),
        Path.touch,
        folder_with_a_file,
        os.mkfifo,
        large,
        lambda path: path.symlink_to(folder.state),
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.symlink_to(other.state),
        lambda path: path.write_bytes(other.state.read_bytes()),
    ]
    for number, damage in enumerate(damages):
        beside = folder.path / f"odd-{number}"
        damage(beside)
        if beside.is_dir():
            folder.state.unlink()
        os.rename(beside, folder.state)
        for name in ("damaged", model.id):
            found = Control(site.directory).get(name)
            assert (found.id, found.state) == (model.id, ClusterState.RUNNING), "its process reported it"
        wait_until(is_whole)
        assert not folder.state.is_symlink()
    folder.state.unlink()
    os.mkfifo(folder.state)
    stopped = Control(site.directory).stop(model.id)
    assert stopped.state is ClusterState.STOPPED and "killed" not in (stopped.reason or "")
    assert {model.name for model in Control(site.directory).list()} == {"damaged", "other"}
