"""The life of a cluster without anything that only Linux has; `make portable-tests` runs all other tests so."""

import json
import signal
import subprocess

import psutil
import pytest
from gpucluster.operating_system import SWITCH

pytestmark = pytest.mark.full

SCRIPT = """
import json, sys
import gpucluster

def start_daemon():
    import subprocess
    program = "sleep 600 >/dev/null 2>&1 & echo $!"
    return int(subprocess.run(["setsid", "sh", "-c", program], capture_output=True, text=True, check=True).stdout)

def parent():
    import os
    return os.getppid()

cluster = gpucluster.create("local", name="portable", n_workers=1, memory_limit="512 MiB", idle_timeout_seconds=None)
with cluster.get_client() as client:
    found = {"supervisor": cluster.model.pid, "program": client.submit(start_daemon).result()}
    found["parents"] = list(client.run(parent).values())
    cluster.scale(2)
    client.wait_for_workers(2, 90)
    found["parents"] += client.run(parent).values()
    found["sum"] = client.submit(sum, client.map(abs, range(-10, 0))).result()
print(json.dumps(found), flush=True)
if sys.stdin.readline() == "stop\\n":
    cluster.stop()
sys.stdin.readline()
print(gpucluster.list()[0].state)
"""


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_cluster_ends_with_all_its_processes(site, wait_until, end):
    """Including a program that a task has started in a separate session, and whose parent has ended."""
    user = site.python(SCRIPT, stdin=subprocess.PIPE, env={SWITCH: "1"})
    line = user.stdout.readline()
    assert line, user.communicate()[1]
    found = json.loads(line)
    assert found["sum"] == 55
    assert set(found["parents"]) == {found["supervisor"]}, "not forked from another process"
    family = [psutil.Process(pid) for pid in (found["supervisor"], found["program"])]
    if end == "kill":
        family[0].send_signal(signal.SIGKILL)
    user.stdin.write(f"{end}\n")
    user.stdin.flush()
    wait_until(lambda: not [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE], what=family)
    out, err = user.communicate("look\n", timeout=60)
    assert out.strip() == ("failed" if end == "kill" else "stopped"), err
    wait_until(lambda: not site.processes(), what=site.processes)
