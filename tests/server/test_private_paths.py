"""Our processes open no file in a shared directory that another user could create first."""

import json
import os
from contextlib import closing
from typing import Any

import pytest
from gpucluster.protocol.models import ClusterState

from tests.kernel import Kernel

from .jupyterprocess import jupyter_process

pytestmark = pytest.mark.full

AUDIT = '''
"""Writes down every path below some directories that Python code of this process opens, makes or changes."""
import json, os, sys

_log, _roots = os.environ["AUDIT_LOG"], tuple(json.loads(os.environ["AUDIT_ROOTS"]))
_paths = {
    "open": 1, "os.mkdir": 1, "os.rmdir": 1, "os.remove": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2,
    "os.chmod": 1, "os.chown": 1, "os.truncate": 1, "os.utime": 1, "os.listdir": 1, "os.scandir": 1,
    "shutil.rmtree": 1, "tempfile.mkdtemp": 1, "tempfile.mkstemp": 1, "ctypes.dlopen": 1, "sqlite3.connect": 1,
}
_busy = False


def _below(path):
    if isinstance(path, int) or path is None:
        return None
    path = os.path.abspath(os.fsdecode(path))
    return path if any(path == root or path.startswith(root + "/") for root in _roots) else None


def _hook(event, arguments):
    global _busy
    if _busy or (event not in _paths and not event.startswith("socket.")):
        return
    _busy = True
    try:
        flags = 0
        if event in ("socket.bind", "socket.connect"):
            found = [arguments[1]] if isinstance(arguments[1], (str, bytes)) and arguments[1] else []
        else:
            found = list(arguments[: _paths.get(event, 0)])
            flags = arguments[2] if event == "open" and isinstance(arguments[2], int) else 0
        lines = "".join(
            json.dumps([event, path, flags, os.getpid(), sys.orig_argv[1:5]]) + "\\n"
            for path in map(_below, found) if path
        )
        if lines:
            log = os.open(_log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.write(log, lines.encode())
            os.close(log)
    except Exception as error:
        print("audit", event, error, file=sys.stderr)
    finally:
        _busy = False


sys.addaudithook(_hook)
'''

SHARED = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108

CELL = """
import os, gpucluster
import dask, dask.array as da
cluster = gpucluster.connect("watched")
client = cluster.get_client()
assert da.ones((400, 400), chunks=100).sum().compute() == 160_000
def sorted_on_disk():
    return dask.config.get("temporary-directory"), dask.config.get("dataframe.shuffle.method", None)
print("FOUND", client.submit(sorted_on_disk).result()[0])
client.close()
"""


def _nameless(flags: int) -> bool:
    """Whether a file without a name was made in a directory: no other user can have it, but perhaps the directory."""
    return flags & getattr(os, "O_TMPFILE", 0) == getattr(os, "O_TMPFILE", -1)


def test_paths_in_shared_directories_are_private(site, tmp_path, monkeypatch, wait_until):
    """A Jupyter server, a standby, a cluster from its start to its end, and a kernel that is its client.

    An audit hook sees what Python code does. Semaphores are made by the C library: below /dev/shm, with random names,
    exclusively (O_EXCL) and without following links; no other user can make them first.
    """
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(AUDIT)
    log = tmp_path / "audit"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(hook), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setenv("AUDIT_LOG", str(log))
    monkeypatch.setenv("AUDIT_ROOTS", json.dumps(SHARED))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with jupyter_process(tmp_path / "server", standby=True) as server:
        server.call("GET", "clusters")
        site.warm_standby()  # It has started and closed a scheduler then.
        made = server.call("POST", "clusters", {"name": "watched", "backend": "local", "n_workers": 1})
        site.control.wait(made["id"], timeout=90)
        monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
        texts: list[Any] = []
        with closing(Kernel()) as kernel:
            answer = kernel.client.execute_interactive(CELL, timeout=90, output_hook=texts.append)
        assert answer["content"]["status"] == "ok", texts
        assert site.control.stop("watched").state is ClusterState.STOPPED
    wait_until(lambda: not site.processes())
    shown = "".join(message["content"].get("text", "") for message in texts)
    assert f"FOUND {site.registry.folder(made['id']).scratch}" in shown, "data that tasks sort on disk are private, too"

    events = [json.loads(line) for line in log.read_text().splitlines()]
    commands = {" ".join(event[4]) for event in events}
    for part in ("gpucluster.supervisor", "ipykernel", "jupyter_server"):
        assert any(part in command for command in commands), f"{part} was not watched: {commands}"
    # The last one is made by this process, which is not watched.
    private = {str(site.directory), str(tmp_path), kernel.manager.connection_file}
    private |= {path for event, path, *_ in events if event.startswith("tempfile.")}
    private |= {
        path for event, path, flags, *_ in events if event == "open" and flags & os.O_EXCL and not _nameless(flags)
    }
    found = {
        (event, path, *command)
        for event, path, flags, _, command in events
        if not any(path == one or path.startswith(f"{one}/") for one in private)
        and not (path in SHARED and _nameless(flags))
        # Names are read where the C library has its semaphores: the cluster removes its own there.
        and (event, path) != ("os.scandir", "/dev/shm")  # noqa: S108
    }
    assert found == set()
