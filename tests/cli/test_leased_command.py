"""``gpucluster lease -- COMMAND``: a command with a separate worker."""

import re
import signal
import subprocess
import sys

import pytest
from gpucluster.sharing.turns import in_line

LEASE = ["lease", "--backend", "local", "--memory-limit", "512 MiB"]
COMMAND = """
import os, sys, gpucluster
from distributed import Client
with Client() as client:
    worker = client.submit(os.getpid).result()
model = gpucluster.connect().model
print(worker == model.workers[0].pid, model.lease.scope, sys.argv[1:])
sys.exit(7)
"""


def without_turns(said: str) -> str:
    """Return the command's output without the lines about other clusters that start first."""
    return re.sub(r"^(\S+: )?In queue: .*\n?", "", said, flags=re.MULTILINE)


def test_lines_of_busy_machine_are_ignored():
    said = f"{in_line(2)}\nThe cluster 'lease-1' was stopped.\n"
    assert without_turns(said) == "The cluster 'lease-1' was stopped.\n"
    assert without_turns(f"lease-1: {in_line(1)}\n") == ""


@pytest.mark.parametrize("protocol", ["unix", "tls"])
def test_command_uses_worker_and_returns_exit_code(site, gpucluster, protocol):
    site.create(name="another", n_workers=0)
    done = gpucluster(*LEASE, "--protocol", protocol, "--", sys.executable, "-c", COMMAND, "--help", "--", "-n")
    assert (done.returncode, done.stdout) == (7, "True command ['--help', '--', '-n']\n"), done.stderr
    assert without_turns(done.stderr) == ""
    last = site.get("lease-1")
    assert (last.state.value, last.reason) == ("stopped", "The command that held the lease has ended.")


def test_signals_reach_command_and_worker_is_released(site, command):
    waits = "import time; print('there', flush=True); time.sleep(600)"
    leased = subprocess.Popen(
        [*command, *LEASE, "--name", "told", "--", sys.executable, "-c", waits], stdout=subprocess.PIPE, text=True
    )
    assert leased.stdout is not None
    assert leased.stdout.readline() == "there\n"
    leased.send_signal(signal.SIGTERM)
    leased.communicate(timeout=90)
    assert leased.returncode == 128 + signal.SIGTERM
    assert site.get("told").state.value == "stopped"


@pytest.mark.full
def test_killed_command_releases_its_worker(site, command):
    leased = subprocess.Popen([*command, *LEASE, "--name", "left", "--", "sh", "-c", "echo $$; exec sleep 600"],
                              stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert leased.stdout is not None
    started = int(leased.stdout.readline())
    leased.kill()
    last = site.wait_for("left", lambda model: model.state.ended)
    subprocess.run(["kill", str(started)], check=True)
    leased.communicate(timeout=90)
    assert last.reason == f"The holder of the lease (command line, process {leased.pid}) ended without releasing it."


@pytest.mark.full
def test_lost_worker_is_explained(site, gpucluster):
    stops = "import gpucluster; gpucluster.connect().stop()"
    done = gpucluster(*LEASE, "--", sys.executable, "-c", stops)
    assert done.returncode == 0
    assert without_turns(done.stderr).startswith("The cluster 'lease-1' was stopped at ")


@pytest.mark.full
def test_lost_worker_is_reported_while_the_command_runs(site, command):
    waits = "import time; time.sleep(600)"
    words = [*LEASE, "--name", "idles", "--idle-timeout-seconds", "1", "--", sys.executable, "-c", waits]
    with subprocess.Popen([*command, *words], stderr=subprocess.PIPE, text=True) as leased:
        assert leased.stderr is not None
        first = next(line for line in leased.stderr if without_turns(line))
        assert re.match(r"The cluster 'idles' was stopped at .*: Idle for 1 second", first)
        assert leased.poll() is None
        leased.send_signal(signal.SIGTERM)
        assert leased.stderr.read() == "", "reported once"


@pytest.mark.parametrize(
    "inner",
    [["-m", "gpucluster.cli", "lease", "--", "true"], ["-c", "import gpucluster; gpucluster.lease().__enter__()"]],
)
@pytest.mark.full
def test_a_command_takes_no_lease_within_its_own(site, gpucluster, inner):
    done = gpucluster(*LEASE, "--", sys.executable, *inner)
    assert done.returncode != 0
    assert "Leases cannot be nested: this is inside the lease 'lease-1'" in done.stderr
    assert [model.name for model in site.control.list()] == ["lease-1"]
