"""Schedulers started outside gpucluster, as separate real processes: seen, used, and left alone."""

import json
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import gpucluster
import pytest
from distributed import Client
from gpucluster.protocol.errors import InvalidState
from gpucluster.protocol.kinds import spec_schemas
from gpucluster.protocol.models import ClusterState, Network

from tests.backends.existing.schedulers import credentials
from tests.backends.seen import refusal, stopped

SERVE = str(Path(__file__).parent / "schedulers.py")
# Made of text: the other side has no module of these tests.
PLUGINS = eval("lambda dask_worker: list(dask_worker.plugins)", {"__name__": "__main__"})
PLUGINS_THERE = eval("lambda dask_scheduler: list(dask_scheduler.plugins)", {"__name__": "__main__"})


@dataclass
class Schedulers:
    """A process with schedulers."""

    folder: Path
    process: subprocess.Popen[str]
    addresses: dict[str, str]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()

    def tls(self, **other: str) -> dict[str, str]:
        return {
            f"tls_{name}": str(self.folder / f"{name.removesuffix('_file')}.pem") for name in ("ca_file", "cert", "key")
        } | other


def serve(folder: Path, port: int = 0) -> Schedulers:
    process = subprocess.Popen(
        [sys.executable, SERVE, str(folder), str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return Schedulers(folder, process, json.loads(process.stdout.readline()))


@pytest.fixture(scope="module")
def schedulers(tmp_path_factory):
    found = serve(tmp_path_factory.mktemp("schedulers"))
    yield found
    found.end()


def test_scheduler_is_shown_used_and_left_running(shared_site, schedulers, wait_until):
    address = schedulers.addresses["tcp"]
    model = shared_site.running(backend="existing", address=address, n_workers=None, memory_limit="auto")
    assert (model.n_workers, model.wanted.n_workers) == (1, None)
    assert {"scale", "adapt", "retire", "restart"}.isdisjoint(model.can)
    assert model.network is Network.OPEN
    assert "Stop only disconnects" in model.notes[0]
    with Client(address) as client:
        assert client.submit(sum, [1, 2, 3]).result() == 6
        wait_until(lambda: any("gpucluster-telemetry" in plugins for plugins in client.run(PLUGINS).values()))
    wait_until(lambda: shared_site.control.telemetry(model.id).workers == [model.workers[0].name])
    pages = shared_site.registry.dashboard(model.id)
    assert pages.prefix == ""
    with urllib.request.urlopen(pages.url, timeout=20) as page:
        assert b"Dask" in page.read()
    with pytest.raises(InvalidState, match="cannot be scaled: this scheduler and its workers were started outside"):
        shared_site.control.patch(model.id, {"n_workers": 2})
    with pytest.raises(InvalidState, match="cannot restart its workers: this scheduler"):
        shared_site.control.restart(model.id, wait=False)
    assert stopped(shared_site, model.id).state is ClusterState.STOPPED
    with Client(address, timeout=20) as client:
        assert client.submit(sum, [1, 2, 4]).result() == 7
        assert not any("gpucluster-telemetry" in plugins for plugins in client.run(PLUGINS).values())
        assert not [name for name in client.run_on_scheduler(PLUGINS_THERE) if "gpucluster" in name]


@pytest.mark.full
def test_tls_files_of_the_scheduler(shared_site, schedulers):
    address = schedulers.addresses["tls"]
    options = {"backend": "existing", "n_workers": None, "memory_limit": "auto"}
    model = shared_site.running(address=address, **options, **schedulers.tls())
    assert model.network is Network.TLS
    kept = shared_site.registry.folder(model.id).tls
    assert {path.stat().st_mode & 0o777 for path in kept.iterdir()} == {0o600}
    cluster = gpucluster.connect(model.id)
    with Client(address, security=cluster.security) as client:
        assert client.submit(sum, [1, 2, 3]).result() == 6
    assert stopped(shared_site, model.id).state is ClusterState.STOPPED
    assert not kept.exists()


async def _refusal(tmp_path: Path, **options) -> str:
    message = await refusal(tmp_path, backend="existing", **options)
    assert message[-1] in ".?)"
    return message


@pytest.mark.full
async def test_unreadable_scheduler_is_refused_with_the_reason(schedulers, tmp_path):
    tcp, tls = schedulers.addresses["tcp"], schedulers.addresses["tls"]
    as_tls, as_tcp = tcp.replace("tcp:", "tls:"), tls.replace("tls:", "tcp:")
    assert "does not use TLS: its address is tcp://" in await _refusal(tmp_path, address=as_tls, **schedulers.tls())
    assert "uses TLS: if it is a scheduler, its address is tls://" in await _refusal(tmp_path, address=as_tcp)
    assert "is a Dask worker, not a scheduler" in await _refusal(tmp_path, address=schedulers.addresses["tcp-worker"])
    assert "set tls_ca_file, tls_cert and tls_key" in await _refusal(tmp_path, address=tls)
    with Client(tcp) as client:
        pages = urlsplit(client.dashboard_link).netloc
    assert "is not a Dask scheduler" in await _refusal(tmp_path, address=f"tcp://{pages}")
    assert "Nothing is listening at" in await _refusal(tmp_path, address="tcp://127.0.0.1:9")
    assert "Host 'nowhere.invalid' not found" in await _refusal(tmp_path, address="tcp://nowhere.invalid:8786")
    assert "no setting 'our-site'" in await _refusal(tmp_path, address="our-site")
    assert "no 'scheduler-address'" in await _refusal(tmp_path)
    # Files of another scheduler, and files that others can read.
    (tmp_path / "other").mkdir()
    credentials(tmp_path / "other")
    other = Schedulers(tmp_path / "other", schedulers.process, {}).tls()
    assert "certificate that was not issued by the authority" in await _refusal(tmp_path, address=tls, **other)
    mixed = schedulers.tls(tls_cert=other["tls_cert"], tls_key=other["tls_key"])
    assert "rejects the certificate in tls_cert" in await _refusal(tmp_path, address=tls, **mixed)
    (tmp_path / "other" / "key.pem").chmod(0o644)
    assert "chmod 600" in await _refusal(tmp_path, address=tls, **other)
    assert "cannot be read" in await _refusal(tmp_path, address=tls, **schedulers.tls(tls_key=str(tmp_path / "none")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "does not exist"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "must contain a scheduler address"),
        ('{"address": "x y"}', "'x y'"),
    ],
)
async def test_scheduler_files(tmp_path, text, message):
    path = tmp_path / "scheduler.json"
    if text is not None:
        path.write_text(text)
    assert message in await _refusal(tmp_path, scheduler_file=str(path))


def test_form_omits_options_of_the_scheduler():
    assert not {"n_workers", "memory_limit", "local_directory"} & set(spec_schemas()["existing"]["properties"])


@pytest.mark.full
def test_scheduler_that_restarts_is_found_again(site, tmp_path, monkeypatch, wait_until):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "8s")
    first = serve(tmp_path)
    address = first.addresses["tcp"]
    model = site.running(backend="existing", address=address, n_workers=None, memory_limit="auto")
    first.end()
    second = serve(tmp_path, urlsplit(address).port or 0)
    try:
        there = second.addresses["tcp-worker"]
        wait_until(lambda: [worker.address for worker in site.get(model.id).workers] == [there])
        assert site.get(model.id).state is ClusterState.RUNNING
    finally:
        second.end()
    ended = site.wait_for(model.id, lambda model: model.state.ended)
    assert (ended.state, ended.reason) == (ClusterState.FAILED, "The scheduler no longer responds.")
