"""The registry's disk is full, or read-only: clusters can still end, and the reason is shown for everything else.

The disks are real: a small ``tmpfs``, and a mount that turns read-only. Only root may mount.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import gpucluster
import pytest
from gpucluster.cli import main
from gpucluster.protocol.errors import RegistryUnwritable, StartFailed
from gpucluster.protocol.models import ClusterState

from tests.conftest import Site

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root may mount")


class Disk:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Leave no byte."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    @contextmanager
    def kept_full(self) -> Iterator[None]:
        """Fill it again whenever space becomes free, as after a partial write."""
        over = threading.Event()

        def go_on() -> None:
            while not over.wait(0.005):
                self.fill()

        filling = threading.Thread(target=go_on)
        self.fill()
        filling.start()
        try:
            yield
        finally:
            over.set()
            filling.join()

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


@pytest.fixture
def disk():
    path = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    mount("-t", "tmpfs", "-o", "size=4m,mode=0700", "gpucluster-test", str(path))
    yield Disk(path)
    while path.is_mount():
        subprocess.run(["umount", "--lazy", str(path)], check=True)
    path.rmdir()


@pytest.fixture
def site(disk, monkeypatch):
    """A registry on that disk."""
    directory = disk.path / "r"
    monkeypatch.setenv("GPUCLUSTER_DIR", str(directory))
    made = Site(directory)
    yield made
    made.close()


@pytest.mark.full
def test_a_full_disk(site, disk, wait_until, capsys):
    for model in [site.create(name=name, idle_timeout_seconds=None) for name in ("scaled", "asked", "idle")]:
        site.control.wait(model.id)
    disk.fill()
    full = f"The disk {disk.path} is full (4 MiB in all): nothing can be written in {site.directory}."
    full += " Free some space there."

    # A change is refused, naming disk and folder, and changes nothing.
    cluster = gpucluster.connect("scaled")
    with pytest.raises(RegistryUnwritable) as refused:
        cluster.scale(2)
    assert refused.value.message == full
    with pytest.raises(RegistryUnwritable):
        cluster.restart()
    assert cluster.model.wanted.n_workers == 1
    # All processes can read it, though nothing could be written.
    site.wait_for("scaled", lambda model: model.notice == full)

    # No new cluster, without a traceback and without a remnant.
    entries = len(site.registry.folders())
    with disk.kept_full():
        assert main(["create", "--backend", "local"]) == 7
    assert full in capsys.readouterr().err.replace("\n", " ")
    assert len(site.registry.folders()) == entries

    # Clusters can still be ended: here by a request, below by the idle timer and a signal.
    assert site.control.stop("asked").state is ClusterState.STOPPED
    assert site.get("asked").state is ClusterState.STOPPED

    # With some space again, everything works.
    disk.free()
    wait_until(lambda: cluster.model.notice is None)
    cluster.scale(2)
    assert cluster.n_workers == 2
    site.control.patch("idle", {"idle_timeout_seconds": 1})
    disk.fill()
    assert site.wait_for("idle", lambda model: model.state.ended).reason.startswith("Idle for 1 second")
    disk.fill()
    os.kill(cluster.model.pid, signal.SIGTERM)
    assert site.wait_for("scaled", lambda model: model.state.ended).reason == "Stopped by a signal."
    disk.free()


@pytest.mark.full
def test_disk_fills_up_during_start(site, disk, wait_until):
    """Wherever that happens, the start succeeds or ends with a message about the disk."""
    for bytes_left in (20_000, 100_000):
        disk.fill()
        os.truncate(disk.path / "ballast", (disk.path / "ballast").stat().st_size - bytes_left)
        try:
            made = site.create(name=f"left-{bytes_left}", n_workers=1)
            site.control.wait(made.id)
        except (RegistryUnwritable, StartFailed) as error:
            assert f"The disk {disk.path} is full" in error.message
        disk.free()
        for model in site.control.list():
            assert site.control.stop(model.id).state.ended
        wait_until(lambda: not site.processes())


def test_a_read_only_disk(site, disk, wait_until):
    model = site.running(name="fixed")
    mount("--bind", str(disk.path), str(disk.path))
    mount("-o", "remount,bind,ro", str(disk.path))
    read_only = f"The disk {disk.path} is read-only: nothing can be written in {site.directory}. Make it writable"
    with pytest.raises(RegistryUnwritable, match=read_only):
        site.control.patch("fixed", {"n_workers": 1})
    with pytest.raises(RegistryUnwritable, match=read_only):
        site.create(name="other")
    stopped = site.control.stop("fixed")
    assert stopped.state is ClusterState.STOPPED
    assert read_only in stopped.reason
    wait_until(lambda: not site.processes())
    assert [item.state.ended for item in site.control.list()] == [True]
    mount("-o", "remount,bind,rw", str(disk.path))
    shutil.rmtree(site.registry.folder(model.id).path)
