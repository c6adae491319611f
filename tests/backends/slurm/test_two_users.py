"""Two users of one Slurm, who create at the same time: they neither disturb nor reach each other."""

import json

import gpucluster
import psutil
import pytest

from tests.otheruser import OtherUser

pytestmark = pytest.mark.full

JOBS = {"backend": "slurm", "partition": "main", "walltime": "00:10:00", "memory_limit": "600MB", "interface": "lo"}
SECRET = "a-password-of-mine"
CREATE = """
import gpucluster, os, sys
made = gpucluster.create("slurm", name="same-name", n_workers=1, partition="main", walltime="00:10:00",
    memory_limit="600MB", interface="lo", shared_directory=os.path.expanduser("~/shared"))
with made.get_client() as client:
    client.wait_for_workers(1, timeout=60)
    print(made.id, client.submit(os.getuid).result(timeout=60), flush=True)
os._exit(0)
"""
STRANGER = """
import asyncio, json, os, subprocess, sys
from pathlib import Path
given = json.loads(sys.argv[1])
got = {}

def attempt(name, what):
    try:
        got[name] = repr(what())[:300]
    except Exception as error:
        got[name] = f"refused: {type(error).__name__}"

def ask(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise PermissionError(done.stderr)
    return done.stdout

for path in given["files"]:
    attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else Path(path).read_bytes())
for pid in given["pids"]:
    attempt(f"environment of {pid}", lambda: Path(f"/proc/{pid}/environ").read_bytes())
def read_script():
    text = ask("scontrol", "write", "batch_script", given["job"], "-")
    if not text.strip():  # In some versions with exit code 0.
        raise PermissionError
    return text

attempt("script", read_script)
attempt("cancel", lambda: ask("scancel", given["job"]) or "cancelled")
attempt("update", lambda: ask("scontrol", "update", f"jobid={given['job']}", "timelimit=1") or "changed")
got["job"] = ask("scontrol", "show", "job", "-d", given["job"])

async def talk():
    import gpucluster
    from distributed.comm import connect
    mine = gpucluster.connect("same-name").security.get_connection_args("client")
    ways = {"my own credentials": ("tls", mine), "none": ("tcp", {})}
    for address in [given["mine"], *given["addresses"]]:
        for name, (protocol, arguments) in ways.items():
            try:
                comm = await connect(f"{protocol}://{address}", timeout=3, **arguments)
                await asyncio.wait_for(comm.write({"op": "identity"}), 3)
                got[f"{address} {name}"] = repr(await asyncio.wait_for(comm.read(), 3))[:80]
            except Exception as error:
                got[f"{address} {name}"] = f"refused: {type(error).__name__}"
asyncio.run(talk())
print(json.dumps(got))
os._exit(0)
"""


@pytest.fixture
def other(slurm):
    made = OtherUser(slurm.environment)
    yield made
    made.close()


def test_two_users_create_at_the_same_time(slurm, other, shared_site, tmp_path, wait_until):
    theirs = other.start("-c", CREATE)
    ours = shared_site.running(
        **JOBS, name="same-name", n_workers=1, shared_directory=str(tmp_path / "shared"), env={"PASSWORD": SECRET}
    )
    out, err = theirs.communicate(timeout=120)
    assert theirs.returncode == 0, err
    id, uid = out.split()
    assert int(uid) == other.uid, "their tasks run under their account"
    ours = shared_site.wait_for(ours.id, lambda model: model.n_workers == 1)
    with gpucluster.connect(ours.id).get_client() as client:
        pid, seen = client.submit(lambda: (__import__("os").getpid(), __import__("os").environ["PASSWORD"])).result(60)
    assert seen == SECRET
    assert {psutil.Process(pid).uids().real, other.uid} == {0, other.uid}

    [job] = slurm.ask("squeue", "-h", "-o", "%i", f"--name=gpucluster-{ours.id}-0").split()
    theirs_model = json.loads(other.run("-m", "gpucluster.cli", "status", "same-name", "--json"))
    assert theirs_model["id"] == id
    folder = shared_site.registry.folder(ours.id)
    shared = tmp_path / "shared" / ours.id
    files = [shared, shared / "environment", shared / "tls" / "key.pem", folder.path, folder.tls / "key.pem"]
    spooled = sorted(slurm.folder.glob(f"spool/*/job*{job}"))
    assert spooled, "the job's script is there"
    addresses = [ours.scheduler_address, *(worker.address for worker in ours.workers)]
    given = {
        "files": [*map(str, files), *(str(path / "slurm_script") for path in spooled)],
        "pids": [pid, ours.pid],
        "job": job,
        "mine": theirs_model["scheduler_address"].partition("://")[2],
        "addresses": [address.partition("://")[2] for address in addresses],
    }
    got = json.loads(other.run("-c", STRANGER, json.dumps(given)))
    # Access to their own cluster works, which proves that the attempts are valid.
    job_shown, own = got.pop("job"), got.pop(f"{given['mine']} my own credentials")
    assert "Scheduler" in own
    assert SECRET not in job_shown
    assert not {name: answer for name, answer in got.items() if not answer.startswith("refused")}

    other.run("-m", "gpucluster.cli", "stop", "same-name")
    wait_until(lambda: not slurm.jobs(id), what=slurm.jobs)
    assert slurm.ask("squeue", "-h", "-o", "%i %T", "-j", job).split() == [job, "RUNNING"]
    assert not list((other.home / "shared").glob("[0-9a-f]*"))
    shared_site.control.stop(ours.id)
    wait_until(lambda: not slurm.jobs(ours.id), what=slurm.jobs)
    wait_until(lambda: not other.processes(), timeout=60, what=other.processes)
