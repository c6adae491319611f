"""A supervisor whose folder or record is deleted ends, with everything it has started."""

import os
import shutil
import time

import psutil
import pytest
from gpucluster.client.cluster import Cluster
from gpucluster.client.notebook_client import ClientClosed
from gpucluster.operating_system import LINUX
from gpucluster.operating_system.files import semaphore_prefix
from gpucluster.operating_system.resources import SHARED_MEMORY
from gpucluster.registry.record import Folder
from gpucluster.supervisor.process.process_tree import entry_exists

from tests.supervisor.test_survival import survivors


def delete_folder(folder: Folder) -> None:
    """Delete an entry, while its process may still write to it."""
    while folder.path.exists():
        shutil.rmtree(folder.path, ignore_errors=True)


def delete_record(folder: Folder) -> None:
    folder.state.unlink()


def replace_lock(folder: Folder) -> None:
    folder.lock.unlink()
    folder.lock.touch()


@pytest.mark.parametrize("delete", [delete_folder, delete_record, replace_lock])
def test_a_cluster_ends_with_its_entry(site, wait_until, tmp_path, delete):
    model = site.running(name="evicted", n_workers=2, local_directory=str(tmp_path))
    family = [psutil.Process(model.pid), *psutil.Process(model.pid).children(recursive=True)]
    assert len(family) >= 4, "supervisor, forkserver, two workers"
    named = f"sem.{semaphore_prefix(model.id)}-*"
    assert list(SHARED_MEMORY.glob(named)) or not LINUX
    delete(site.registry.folder(model.id))
    wait_until(lambda: not survivors(family), timeout=20, what=lambda: survivors(family))
    assert list(tmp_path.iterdir()) == [], "spilled data elsewhere is gone, too"
    assert list(SHARED_MEMORY.glob(named)) == [], "and so are the names of semaphores"
    assert [item for item in site.control.list() if not item.state.ended] == []
    log = site.registry.folder(model.id).log
    assert log.exists() is (delete is not delete_folder), "an existing folder is not changed"


def test_starting_cluster_ends_with_its_entry(site, wait_until):
    model = site.create(name="evicted", n_workers=2)
    folder = site.registry.folder(model.id)
    wait_until(folder.socket.exists)
    delete_folder(folder)
    wait_until(lambda: not site.processes(), timeout=20, what=site.processes)


@pytest.mark.full
def test_a_standby_ends_with_its_entry(site, wait_until):
    assert site.control.ensure_standby()
    (folder,) = site.registry.folders()
    wait_until(lambda: (record := site.registry.read(folder)) is not None and record.ready)
    delete_folder(folder)
    wait_until(lambda: not site.processes(), timeout=20, what=site.processes)


def test_entry_exists(tmp_path):
    folder = Folder(tmp_path)
    for path in (folder.lock, folder.state):
        path.touch()
    with folder.lock.open("rb") as held:
        assert entry_exists(folder, held.fileno())
        folder.state.rename(tmp_path / "elsewhere")
        assert not entry_exists(folder, held.fileno())
        (tmp_path / "elsewhere").rename(folder.state)
        folder.lock.unlink()
        assert not entry_exists(folder, held.fileno())
        os.symlink(folder.state, folder.lock)
        assert not entry_exists(folder, held.fileno())


@pytest.mark.full
def test_deleted_socket_is_recreated(site, wait_until):
    model = site.running(n_workers=1)
    folder = site.registry.folder(model.id)
    folder.socket.unlink()
    site.control.patch(model.id, {"n_workers": 0})
    site.wait_for(model.id, lambda model: model.n_workers == 0)
    assert "The socket of this cluster was deleted" in folder.log.read_text()
    site.control.stop(model.id)
    wait_until(lambda: not site.processes())
    assert not folder.socket.exists()


@pytest.mark.full
def test_deleted_folder_ends_waits_and_stays_deleted(site, wait_until):
    """Dask creates its scratch space again in place of the folder, open to all users."""
    model = site.running(name="evicted")
    cluster = Cluster(model, site.control.asynchronous)
    folder = site.registry.folder(model.id)
    with cluster.get_client() as client:
        asleep = client.submit(time.sleep, 600, pure=False)
        wait_until(lambda: site.registry.find(model.id).idle.quiet_since is None)
        delete_folder(folder)
        with pytest.raises(ClientClosed, match="its folder was deleted"):
            asleep.result(60)
    assert repr(cluster) == "<Cluster 'evicted': stopped, local, 1 worker>"
    wait_until(lambda: not site.processes(), timeout=20, what=site.processes)
    assert not folder.path.exists()
