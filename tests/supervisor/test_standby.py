"""The standby, a warm process for the next cluster: used when it fits, never in the way."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import gpucluster
import httpx
import psutil
import pytest
from gpucluster.operating_system.files import everybody_may_fill
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.models import ClusterState
from gpucluster.protocol.version import GIVEN_VARIABLES, IMPORT_FROM, SECRET_HEADER
from gpucluster.registry.ending import NEVER_TAKEN
from gpucluster.registry.record import Record
from gpucluster.supervisor.process.caller import DELETED, NOT_IMPORTED
from gpucluster.supervisor.process.standby import Standby


@pytest.fixture
def ask(site, wait_until):
    """Send a request to the standby with a pid, as our own programs do."""

    def ask(pid, method, path, *, secret=None, **body):
        command = psutil.Process(pid).cmdline()
        (folder,) = [folder for folder in site.registry.folders() if str(folder.path) in command]
        wait_until(folder.socket.exists)
        headers = site.headers(folder.id, **({SECRET_HEADER: secret} if secret else {}))
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(folder.socket)), timeout=60) as client:
            return client.request(method, f"http://gpucluster{path}", headers=headers, **body)

    return ask


def test_a_standby_becomes_the_next_cluster(site, wait_until):
    pid = site.standby()
    assert not site.control.ensure_standby(), "there is one"
    assert site.control.list() == [], "a standby is no cluster"
    model = site.running(name="warm")
    assert model.pid == pid
    assert site.standby_pids() == []
    workers = {worker.pid for worker in model.workers}
    assert workers <= {process.pid for process in psutil.Process(pid).children(recursive=True)}
    site.control.stop("warm")
    wait_until(lambda: not site.processes())


@pytest.mark.full
def test_standby_of_other_environment_is_not_used(site, monkeypatch):
    """Libraries read it while they are loaded."""
    pid = site.standby()
    with monkeypatch.context() as changed:
        changed.setenv("OMP_NUM_THREADS", "7")
        model = site.running(name="other")
    assert model.pid != pid
    assert site.standby_pids() == [pid]

    with gpucluster.connect("other").get_client() as client:
        assert set(client.run(os.getenv, "OMP_NUM_THREADS").values()) == {"7"}
    assert site.control.close_standby()
    assert not site.control.close_standby()


SOUGHT = ("cityhash", "crick", "distributed_ucxx", "gilknocker", "lz4", "org", "rmm", "setproctitle", "xxhash")
"""Packages that are not installed and that libraries try to import."""


@pytest.mark.linux("workers that have imported everything before they are where the caller is")
@pytest.mark.parametrize("waiting", [True, False], ids=["standby", "cold"])
def test_caller_environment_and_directory_are_taken_over(site, monkeypatch, tmp_path, waiting):
    """Files of the caller's folder may be another user's, such as a learner's whose work is inspected."""
    pid = site.standby() if waiting else None
    monkeypatch.setenv("MY_DATA", "here")
    (tmp_path / "module_of_mine.py").write_text("def answer(): return 42\n")
    (tmp_path / "random.py").write_text("raise SystemExit('the wrong module')\n")
    ran = tmp_path / "ran"
    ran.touch()
    (added := tmp_path / "src").mkdir()
    (added / "added_to_the_path.py").write_text("def answer(): return 43\n")
    for folder in (tmp_path, added):
        (folder / "helper_of_both.py").write_text(f"place = {folder.name!r}\n")
    for name in SOUGHT:
        (tmp_path / f"{name}.py").write_text(f"import os; print('{name}', os.getpid(), file=open({str(ran)!r}, 'a'))")
    monkeypatch.setattr(sys, "path", [*sys.path, str(added)])
    env = {"GIVEN": "to workers", "HOME": "/nowhere"}
    model = site.control.create({"backend": "local", "n_workers": 1, "name": "mine", "env": env}, cwd=str(tmp_path))
    site.control.wait(model.id)
    assert pid in {None, site.get("mine").pid}

    with gpucluster.connect("mine").get_client() as client:
        assert set(client.run(os.getenv, "MY_DATA").values()) == {"here"}
        for name, value in env.items():
            assert set(client.run(os.getenv, name).values()) == {value}
        of_supervisor = [client.run_on_scheduler(os.getenv, name) for name in (*env, GIVEN_VARIABLES, "MY_DATA")]
        assert of_supervisor == [None, os.environ["HOME"], None, "here"], "only workers get them"
        assert set(client.run(os.getcwd).values()) == {str(tmp_path)}
        assert client.submit(lambda: __import__("module_of_mine").answer()).result(60) == 42
        assert client.submit(lambda: __import__("added_to_the_path").answer()).result(60) == 43
        assert client.submit(lambda: __import__("helper_of_both").place).result(60) == "src", "the caller's own"
        assert set(client.run(os.getenv, IMPORT_FROM).values()) == {None}
        both = ("module_of_mine", "added_to_the_path")
        own = client.run_on_scheduler(lambda: (os.getcwd(), [__import__(name).answer() for name in both]))
        assert own == (str(tmp_path), [42, 43]), "the scheduler reads tasks that name such functions"
    workers = {str(worker.pid) for worker in site.get("mine").workers}
    elsewhere = [line for line in ran.read_text().splitlines() if line.split()[1] not in workers]
    assert elsewhere == []


@pytest.mark.full
def test_world_writable_folder_is_not_imported_from(site, tmp_path):
    """Dask looks for optional packages at any moment: with the first array, for CuPy."""
    (everybodys := tmp_path / "open").mkdir()
    (inside := everybodys / "mine").mkdir()
    everybodys.chmod(0o1777)
    ran = tmp_path / "ran"
    for name in (*SOUGHT, "cupy"):
        (everybodys / f"{name}.py").write_text(f"open({str(ran)!r}, 'w')")
    import dask.array as da

    model = site.control.create({"backend": "local", "n_workers": 1, "name": "mine"}, cwd=str(everybodys))
    model = site.control.wait(model.id)
    assert model.warnings == [NOT_IMPORTED.format(everybodys)]
    with gpucluster.connect("mine").get_client() as client:
        assert da.ones(10, chunks=5).sum().compute() == 10
        assert set(client.run(os.getcwd).values()) == {str(everybodys)}
    assert not ran.exists()
    assert not everybody_may_fill(str(inside)), "as in /tmp, others cannot move it"
    everybodys.chmod(0o777)
    assert everybody_may_fill(str(inside))


@pytest.mark.full
def test_deleted_working_directory_is_replaced_by_home(site, tmp_path, wait_until):
    gone = tmp_path / "gone"
    gone.mkdir()
    model = site.control.create({"backend": "local", "n_workers": 1, "name": "moved"}, cwd=str(gone))
    site.control.wait(model.id)
    gone.rmdir()
    warning = DELETED.format(gone, Path.home())
    wait_until(lambda: warning in site.get(model.id).warnings)
    gone.mkdir()
    (gone / "of_somebody_else.py").write_text("")
    site.control.patch(model.id, {"n_workers": 2})
    assert site.control.wait(model.id).n_workers == 2
    assert site.control.restart(model.id).n_workers == 2
    with gpucluster.connect("moved").get_client() as client:
        assert set(client.run(os.getcwd).values()) == {str(Path.home())}
        assert set(client.run(find_spec, "of_somebody_else").values()) == {None}
    assert site.get(model.id).warnings.count(warning) == 1


def test_killed_standby_is_replaced(site, wait_until):
    pid = site.standby()
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    os.kill(pid, signal.SIGKILL)
    model = site.running(name="cold")
    assert model.pid != pid
    wait_until(lambda: not any(process.is_running() for process in family))
    assert [folder.id for folder in site.registry.folders()] == [model.id], "its folder is gone"


@pytest.mark.full
def test_standby_killed_during_request_is_replaced(site, monkeypatch):
    """It hangs when the request comes and dies before it answers."""
    pid = site.standby()
    psutil.Process(pid).suspend()
    killer = threading.Timer(1.0, os.kill, (pid, signal.SIGKILL))
    killer.start()
    model = site.running(name="unlucky")
    killer.join()
    assert model.pid != pid
    assert [found.name for found in site.control.list()] == ["unlucky"]


@pytest.mark.full
def test_hanging_standby_is_replaced(site, monkeypatch, wait_until):
    from gpucluster.client.starting import creation

    monkeypatch.setattr(creation, "ADOPT_SECONDS", 1.0)
    pid = site.standby()
    psutil.Process(pid).suspend()
    model = site.create(name="unlucky")
    monkeypatch.undo()
    site.control.wait(model.id)
    assert site.get("unlucky").pid != pid
    wait_until(lambda: not psutil.pid_exists(pid), what="the one that hangs is killed, not left behind")


@pytest.mark.full
def test_standby_ends_with_last_user(site, wait_until, ask):
    """Two Jupyter servers share one; one is killed, the other one stops."""
    code = (
        "import sys; from gpucluster.client.control import Control\n"
        "control = Control(); print(control.ensure_standby(), flush=True); sys.stdin.readline()\n"
        "print(control.close_standby(), control.close_standby(), flush=True); sys.stdin.readline()\n"
    )
    first, second = (site.python(code, stdin=subprocess.PIPE) for _ in range(2))
    assert sorted([first.stdout.readline(), second.stdout.readline()]) == ["False\n", "True\n"], "they share it"
    (pid,) = site.standby_pids()
    standby = psutil.Process(pid)
    first.kill()
    first.communicate()
    answer = ask(pid, "POST", "/release")
    assert answer.status_code == 409
    assert "Another of your processes uses this standby" in answer.json()["message"]
    assert standby.is_running()
    second.stdin.write("close\n")
    second.stdin.flush()
    assert second.stdout.readline() == "True False\n"
    wait_until(lambda: not standby.is_running())
    second.communicate("end\n")
    assert site.registry.folders() == []


@pytest.mark.full
def test_outdated_standby_is_replaced(site, monkeypatch, wait_until):
    site.control.ensure_standby()
    (old,) = site.standby_pids()
    monkeypatch.setenv("DASK_DISTRIBUTED__DASHBOARD__LINK", "/proxy/{port}/status")
    assert site.control.ensure_standby()
    wait_until(lambda: not psutil.pid_exists(old))
    assert len(site.standby_pids()) == 1


TOLD_NEVER = (
    "import os, time; from gpucluster.client.starting import creation; from gpucluster.client.control import Control\n"
    "async def wait(*_, **__): print('asked', flush=True); time.sleep(600)\n"
    "creation.ask_supervisor = wait\n"
    "Control().create({'backend': 'local', 'name': 'orphan'})\n"
)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.full
def test_cluster_fails_when_creator_dies_before_adoption(site, wait_until, number):
    pid = site.standby()
    creator = site.python(TOLD_NEVER)
    assert creator.stdout.readline() == "asked\n"
    assert site.get("orphan").state is ClusterState.STARTING
    creator.send_signal(number)
    creator.communicate()
    model = site.wait_for("orphan", lambda model: model.state.ended)
    assert (model.state, model.reason) == (ClusterState.FAILED, NEVER_TAKEN)
    wait_until(lambda: not psutil.pid_exists(pid))
    assert [entry.message for entry in site.control.activity("orphan").entries][-1] == NEVER_TAKEN
    site.control.remove("orphan")
    assert site.registry.folders() == []


@pytest.mark.full
def test_cluster_without_adoption_request_can_be_stopped(site, wait_until):
    pid = site.standby()
    creator = site.python(TOLD_NEVER)
    assert creator.stdout.readline() == "asked\n"
    stopped = site.control.stop("orphan")
    assert (stopped.state, stopped.reason) == (
        ClusterState.STOPPED, "Its process was not notified before it was stopped."
    )  # fmt: skip
    wait_until(lambda: not psutil.pid_exists(pid))
    creator.kill()
    creator.communicate()


def test_creator_that_dies_before_launch_is_the_reason(site):
    code = (
        "import os; from gpucluster.client.starting import creation; from gpucluster.client.control import Control\n"
        "creation.launch = lambda *_, **__: os._exit(0)\n"
        "Control().create({'backend': 'local', 'name': 'orphan'})\n"
    )
    site.python(code).communicate()
    assert (site.get("orphan").state, site.get("orphan").reason) == (ClusterState.FAILED, NEVER_TAKEN)


BAD = {
    "no directory": {"cwd": "/nowhere/at/all", "environment": {}},
    "no variables": {"cwd": "/", "environment": {"A=B": "c"}},
    "nothing at all": None,
    "no cluster": {"cwd": "/", "environment": {}},
}


@pytest.mark.full
@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_refusing_standby_ends(site, wait_until, ask, body):
    site.control.ensure_standby()
    (folder,) = site.registry.folders()
    (pid,) = site.standby_pids()
    where = os.readlink(f"/proc/{pid}/cwd")
    log = folder.log.open()
    answer = ask(pid, "POST", "/adopt", json=body)
    assert answer.status_code == (409 if body == BAD["no cluster"] else 422), answer.text
    assert where == os.path.expanduser("~")
    wait_until(lambda: not site.processes())
    assert "Traceback" not in log.read()
    log.close()
    assert site.registry.folders() == []


def test_adoption_needs_the_secret(site, tmp_path, ask):
    pid = site.standby()
    (tmp_path / "crick.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    body = {"cwd": str(tmp_path), "environment": dict(os.environ)}
    answer = ask(pid, "POST", "/adopt", json=body, secret="guessed")
    assert answer.status_code == 403
    assert os.readlink(f"/proc/{pid}/cwd") != str(tmp_path)
    assert site.running(name="mine").pid == pid, "it is as good as before"
    assert not (tmp_path / "ran").exists()


def test_a_standby_ends_on_sigterm(site, wait_until):
    pid = site.standby()
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not site.processes())
    assert site.registry.folders() == []


@pytest.mark.full
@pytest.mark.parametrize("how", [{"name": "one"}, {}], ids=["one name", "no name"])
def test_creations_at_one_moment(site, wait_until, how):
    """Of simultaneous requests for one name, one gets it. Without a name, each gets a different one."""
    script = (
        "import sys; from gpucluster.client.control import Control\n"
        "from gpucluster.protocol.errors import GPUClusterError\n"
        "control = Control(); print('ready', flush=True); sys.stdin.readline()\n"
        f"try: print(control.create({{'backend': 'local', 'n_workers': 1, **{how!r}}}).name)\n"
        "except GPUClusterError as error: print(error.code)\n"
    )
    others = [site.python(script, stdin=subprocess.PIPE) for _ in range(2)]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    answers = []

    def ask():
        try:
            answers.append(site.create(**how).name)
        except GPUClusterError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for other in others:
        other.stdin.write("go\n")
        other.stdin.flush()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        out, err = other.communicate(timeout=90)
        assert other.returncode == 0, err
        answers.append(out.strip())
    if how:
        assert sorted(answers) == ["name_taken", "name_taken", "name_taken", "one"]
    else:
        assert sorted(answers) == ["cluster-1", "cluster-2", "cluster-3", "cluster-4"]
    assert sorted(model.name for model in site.control.list()) == sorted({*answers} - {"name_taken"})
    for model in site.control.list():
        assert site.control.stop(model.id).state is ClusterState.STOPPED


def test_standby_survives_unwritable_registry(site, caplog):
    """The registry's lock cannot be taken, as on a broken disk, which must not end a cluster that it has taken."""
    folder, held = site.registry.new_folder()
    site.registry.write(folder, Record(kind="standby"))

    async def note() -> None:
        Standby(site.registry, folder).note_ready()

    asyncio.run(note())
    assert site.registry.read(folder).ready
    site.registry.write(folder, Record(kind="standby"))
    lock = site.directory / "lock"
    lock.unlink()
    lock.mkdir()
    try:
        asyncio.run(note())
        assert not site.registry.read(folder).ready
        assert "cannot be written" in caplog.text
    finally:
        lock.rmdir()
        os.close(held)
        site.registry.delete(folder)
