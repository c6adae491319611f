"""What ends everything below a process, where the system does not."""

from __future__ import annotations

import signal
import subprocess
import sys

import psutil
import pytest

PARENT = """
import os, subprocess, sys
from gpucluster.operating_system import end_descendants

os.setsid()
end_descendants.start()
keeps_on = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", keeps_on], stdout=subprocess.PIPE)
child.stdout.readline()
orphans = []
for session, environment in ((False, {}), (True, dict(os.environ))):
    # Its own parent ends at once: below us it is never seen.
    code = (
        "import subprocess, sys\\n"
        f"p = subprocess.Popen(['sleep', '600'], start_new_session={session}, stdout=-3, stderr=-3)\\n"
        "p.returncode = 0; print(p.pid, flush=True)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    orphans.append(int(said.stdout))
print(end_descendants.started(), child.pid, *orphans, flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_nothing_is_left(killed: bool, wait_until) -> None:
    """A child that ignores signals, an orphan of the session, and one that has a session of its own."""
    stranger = subprocess.Popen(["sleep", "600"])
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        below = [psutil.Process(int(word)) for word in parent.stdout.readline().split()]
        assert len(below) == 4 and all(process.is_running() for process in below)
        if killed:
            parent.send_signal(signal.SIGKILL)
        else:
            parent.stdin.write(b"\n")
    wait_until(lambda: not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE], what=below)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()
