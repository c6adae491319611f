"""Starts and stops end in time, whatever hangs in the cluster's process."""

import gpucluster
import pytest
from gpucluster.client import waiting
from gpucluster.protocol.errors import StartTimedOut
from gpucluster.protocol.models import ClusterState

PATIENCE = 3.0


@pytest.fixture
def hang(tmp_path, monkeypatch):
    """Let modules hang in supervisors when they are imported."""

    def let(module):
        hangs = tmp_path / "hangs"
        (tmp_path / f"{module}.py").write_text(
            "import sys, time\n"
            f"if 'gpucluster.supervisor' in sys.orig_argv: open({str(hangs)!r}, 'w').close(); time.sleep(3600)\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return hangs

    return let


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("sitecustomize", "did not start within"),
        pytest.param(
            "crick",
            "did not respond within 2 seconds and was killed",
            marks=pytest.mark.linux("imports before the process listens: workers are forked from it"),
        ),
        ("prometheus_client", "had not ended 3 seconds after the request, and was killed"),
    ],
    ids=["its beginning", "before it listens", "a thread that imports"],
)
@pytest.mark.full
def test_a_start_that_hangs_ends_in_time(site, monkeypatch, wait_until, hang, module, words):
    monkeypatch.setattr(waiting, "STOP_LATE_SECONDS", PATIENCE)
    hang(module)
    with pytest.raises(StartTimedOut, match=words):
        gpucluster.create("local", name="late", n_workers=1, timeout=PATIENCE)
    assert [model.state for model in site.control.list()] == [ClusterState.STOPPED] * (module != "sitecustomize")
    wait_until(lambda: not site.processes())


@pytest.mark.full
def test_stop_kills_hanging_event_loop(site, wait_until, hang):
    hangs = hang("gilknocker")  # The scheduler imports it.
    model = site.create(name="hung")
    wait_until(hangs.exists)
    with pytest.raises(StartTimedOut):
        site.control.wait(model.id, timeout=0.1)
    stopped = site.control.stop("hung", timeout=PATIENCE)
    assert stopped.state is ClusterState.STOPPED
    assert stopped.reason == "Its process did not respond within 2 seconds and was killed."
    assert site.get("hung").reason == stopped.reason, "all callers get the same reason"
    wait_until(lambda: not site.processes())


def test_hanging_worker_start_does_not_delay_stop(site, tmp_path, wait_until):
    hangs = tmp_path / "hangs"
    module = tmp_path / "hanging.py"
    module.write_text(f"import time\ndef dask_setup(worker): open({str(hangs)!r}, 'w').close(); time.sleep(3600)\n")
    model = site.create(name="starting", preload=[str(module)])
    wait_until(hangs.exists)
    assert site.control.stop("starting").reason is None
    wait_until(lambda: "The cluster has ended" in "\n".join(site.control.logs(model.id).lines))
    log = "\n".join(site.control.logs(model.id).lines)
    closed, ended = log.rfind("Nanny at"), log.rfind("The cluster has ended")
    assert 0 < closed < ended, log  # The closing did not time out.
    wait_until(lambda: not site.processes())


def test_hanging_lock_holder_times_out(site, monkeypatch):
    from gpucluster.client.starting import creation
    from gpucluster.protocol.errors import SupervisorUnreachable

    monkeypatch.setattr(creation, "_AT_LEAST_SECONDS", 0.1)
    with site.registry.exclusive(), pytest.raises(SupervisorUnreachable, match="hangs or is suspended"):
        site.control.create({"backend": "local"}, timeout=0.2)
    assert site.control.list() == []
