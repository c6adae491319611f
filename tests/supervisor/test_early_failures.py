"""The reason is shown when a cluster's process cannot start, even before it can write a log."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.errors import RegistryUnsafe
from gpucluster.protocol.models import ClusterState
from gpucluster.registry.record import Record, now
from gpucluster.registry.store import Registry
from gpucluster.supervisor.__main__ import _note_failure

from tests.models import cluster_model

CONNECT, TARGET = "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET"


def reason_of(site, **options):
    model = site.wait_for(site.create(name="early", **options).id, lambda model: model.state.ended)
    assert model.state is ClusterState.FAILED
    return model.reason


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [1", "line 1, column 6: expected ',' or ']', but got '<stream end>', while parsing a flow sequence"),
        ("a:\n  b: c: d", "line 2, column 7: mapping values are not allowed here"),
        ("- x", "it must contain names with values, such as 'distributed:', not ['x']"),
        ("1: {2: 3}", "the name 1 is not a string; put it in quotation marks"),
    ],
)
def test_broken_configuration_is_located(site, monkeypatch, tmp_path, text, fault):
    (tmp_path / "mine.yaml").write_text(text)
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))
    assert reason_of(site) == f"Dask's configuration file {tmp_path}/mine.yaml cannot be read: {fault}."


def test_wrong_settings_are_named_with_source(site, monkeypatch, tmp_path):
    (tmp_path / "mine.yaml").write_text("distributed: {worker: {memory: {target: '0.6', spill: 0.7}}, logging: {x: y}}")
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))
    monkeypatch.setenv(CONNECT, "abc")
    reason = reason_of(site)
    for message in (
        f"Dask's setting distributed.comm.timeouts.connect is the text 'abc', from the variable {CONNECT}, and cannot "
        "be used. Allowed: a duration, such as '30s' or '5 minutes'.",
        f"Dask's setting distributed.worker.memory.target is the text '0.6', from the file {tmp_path}/mine.yaml, and "
        "cannot be used. Allowed: a number from 0 to 1, or false.",
        "Dask's setting distributed.logging is {'x': 'y'}, from the file",
    ):
        assert message in reason
    monkeypatch.setenv(CONNECT, "20s")
    monkeypatch.setenv(TARGET, "0.6")  # Overrides the file.
    reason = reason_of(site)
    assert "timeouts" not in reason and "target" not in reason and "distributed.logging" in reason


def test_open_directory_is_refused_for_standbys(site):
    """The cluster's process checks it if no other one did."""
    site.standby()
    site.directory.chmod(0o755)
    with pytest.raises(RegistryUnsafe, match="is open to other users"):
        site.create(name="early")
    site.directory.chmod(0o700)
    for pid in site.standby_pids():
        os.kill(pid, signal.SIGKILL)
    model = site.wait_for(site.create(name="early").id, lambda model: model.state.ended or model.pid)
    assert not model.state.ended, "as soon as it is closed"


def test_open_directory_is_recorded_as_reason(tmp_path):
    registry = Registry(tmp_path / "clusters")
    folder, held = registry.new_folder()
    os.close(held)
    spec = LocalSpec(n_workers=1).written_down()
    model = cluster_model(folder.id, name="early", state=ClusterState.STARTING, created_at=now(), spec=spec)
    registry.write(folder, Record(kind="cluster", cluster=model))
    registry.directory.chmod(0o755)
    with pytest.raises(RegistryUnsafe) as refused:
        registry.check_directory()
    _note_failure(folder.path, refused.value)
    registry.directory.chmod(0o700)
    [ended] = registry.list()
    assert (ended.state, ended.reason) == (ClusterState.FAILED, refused.value.message)


@pytest.mark.linux("names of files that are no text")
@pytest.mark.parametrize(
    ("name", "encoding", "fault"),
    [
        ("ä".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0"}, "ä cannot be read here, because file names are "),
        (b"\xff", {}, " is not UTF-8. Choose another directory."),
    ],
    ids=["C", "bytes"],
)
def test_undecodable_directory_name_is_refused(name, encoding, fault):
    place = os.path.join(os.fsencode(tempfile.mkdtemp(prefix="gpuc-", dir="/tmp")), name)
    os.mkdir(place, 0o700)
    spec = {"backend": "local", "n_workers": 1}
    code = (
        "from gpucluster.client.control import Control\n"
        "from pathlib import Path; import os, sys\n"
        f"directory, spec = Path(os.fsdecode({place!r})), {spec!r}\n"
        "def say(message): sys.stdout.buffer.write(message.encode() + bytes([10]))\n"
        "for where in (directory, directory.parent):\n"
        "    scratch = {} if where is directory else {'local_directory': str(directory)}\n"
        "    control = Control(where)\n"
        "    try: control.wait(control.create({**spec, **scratch}).id)\n"
        "    except Exception as error: say(error.message)\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, timeout=60, env={**os.environ, **encoding}, check=True
        )
    finally:
        shutil.rmtree(os.path.dirname(place))
    of_registry, of_scratch = done.stdout.decode().splitlines()
    assert fault in of_registry and of_registry.endswith("GPUCLUSTER_DIR names the directory of clusters.")
    assert fault in of_scratch and of_scratch.startswith("local_directory: ")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise RuntimeError('no such\\nprocessor')", "The cluster's process failed: RuntimeError: no such processor."),
        ("raise SystemExit('This build has expired.')", "The cluster's process failed: This build has expired."),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGILL)",
            "Its process could not start: Fatal Python error: Illegal instruction.",
        ),
    ],
    ids=["raises", "exits", "crashes"],
)
def test_failing_import_is_the_reason(site, monkeypatch, tmp_path, code, reason):
    (tmp_path / "distributed.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert reason_of(site) == reason


@pytest.mark.linux("mount namespaces")
def test_unwritable_shared_memory_is_named(tmp_path):
    readonly = "mount -t tmpfs -o ro,size=64k none /dev/shm"
    if subprocess.run(["unshare", "-m", "sh", "-c", readonly], capture_output=True).returncode != 0:
        pytest.skip("needs a mount namespace")
    registry = tempfile.mkdtemp(prefix="gpc", dir="/tmp")
    create = f'{readonly} && exec "{sys.executable}" -m gpucluster create --backend local --n-workers 1'
    try:
        answer = subprocess.run(
            ["unshare", "-m", "sh", "-c", create], env={**os.environ, "GPUCLUSTER_DIR": registry},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    finally:
        shutil.rmtree(registry, ignore_errors=True)
    assert answer.returncode != 0
    assert "cannot be created: Read-only file system. Make /dev/shm writable" in answer.stderr + answer.stdout
