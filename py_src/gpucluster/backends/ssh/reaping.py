"""End what a dead supervisor has left on its hosts. The agents there end automatically; this makes sure of it."""

from __future__ import annotations

import asyncio
import json
import shlex
from typing import Any

from ..backend import ReapContext, Remembered
from .host import MARK
from .hosts import HostUnusable, Named, connect

SWEEP_SECONDS = 30.0
_SWEEP = """
import glob, json, os, shutil, signal, sys, tempfile, time
settings = json.loads(sys.stdin.readline())
mark = settings["mark"].encode()
ended = set()
for _ in range(20):
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            pid = int(path.split("/")[2])
            with open(path, "rb") as file, open("/proc/%d/stat" % pid) as stat:
                if mark in file.read().split(b"\\0") and stat.read().rpartition(")")[2].split()[0] != "Z":
                    found.append(pid)
        except OSError:
            pass
    if not found:
        break
    ended.update(found)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    time.sleep(0.1)
for top in {tempfile.gettempdir(), settings["directory"] or tempfile.gettempdir()}:
    for path in glob.glob(os.path.join(glob.escape(top), settings["scratch"] + "*")):
        if not os.path.islink(path) and os.lstat(path).st_uid == os.getuid():
            shutil.rmtree(path, ignore_errors=True)
print(json.dumps({"ended": len(ended), "left": len(found)}))
"""


async def reap(remembered: Remembered, context: ReapContext) -> None:
    """Look at each host, and end what is still there. Raises `RuntimeError`: some processes do not end."""
    hosts = [Named(**host) for host in remembered["hosts"]]
    found = await asyncio.gather(*(_sweep(host, remembered, context) for host in hosts), return_exceptions=True)
    unreachable = [host.name for host, one in zip(hosts, found, strict=True) if isinstance(one, BaseException)]
    answers = [one for one in found if isinstance(one, dict)]
    if any(answer["left"] for answer in answers):
        raise RuntimeError("Some processes on the hosts did not exit")
    if ended := sum(answer["ended"] for answer in answers):
        context.report(f"{ended} processes left behind on its hosts by its dead process were stopped.")
    if unreachable:
        # The agents there end what they started after a minute without a message.
        context.report(f"Could not reach {', '.join(unreachable)}; the workers there end automatically.")


async def _sweep(host: Named, remembered: Remembered, context: ReapContext) -> dict[str, Any]:
    connection = await connect(host, remembered["ssh_config"])
    try:
        command = f"exec {shlex.quote(remembered['python'])} -c {shlex.quote(_SWEEP)}"
        settings = {
            "mark": f"{MARK}={context.cluster_id}",
            "scratch": remembered["scratch"],
            "directory": remembered["local_directory"],
        }
        done = await asyncio.wait_for(connection.run(command, input=json.dumps(settings) + "\n"), SWEEP_SECONDS)
        if done.exit_status != 0:
            raise HostUnusable(f"{host.name}: its Python cannot be started.")
        answer: dict[str, Any] = json.loads(str(done.stdout).strip().splitlines()[-1])
        return answer
    finally:
        connection.close()
