"""A runner without a notebook, to try a sandbox: ``python -m gpucluster.lessons.grading.runner.trial``.

It does what a runner does up to its first kernel, with a program of ours in the kernel's place, and prints what that
found, and which namespaces it had.
"""

import json
import os
import sys
import time
from pathlib import Path

from ....operating_system.processes import adopt_orphans, namespaces_of, separated
from ..job import Job
from ..kernel.trial import FOUND
from ..sandbox.folder import TOKEN_VARIABLE, Sandbox
from ..sandbox.kinds import keeper_of
from ..sandbox.protection import protect, set_limits

_MODULE = "gpucluster.lessons.grading.kernel.trial"
_PATIENCE_S = 30.0
_LOOK_S = 0.02


def main() -> None:
    """Try what the job on standard input says."""
    job = Job.of(sys.stdin.read())
    adopt_orphans()
    sandbox = Sandbox(Path(os.environ["TMPDIR"]).parent, os.environ[TOKEN_VARIABLE], tuple(job.closed_folders))
    set_limits(job.limits)
    keeper = keeper_of(sandbox, job.sandboxing, _MODULE)
    protection = protect(sandbox.root)
    keeper.start(0)
    namespaces: dict[str, str] = {}
    deadline = time.monotonic() + _PATIENCE_S
    while keeper.alive() and time.monotonic() < deadline:
        namespaces |= keeper.namespaces()  # of one that is just ending, only some can be seen
        time.sleep(_LOOK_S)
    protection.kind = job.sandboxing.kind
    protection.namespaces = separated(namespaces, job.namespaces)
    protection.apart = bool(separated(namespaces, namespaces_of()))
    found = sandbox.work / FOUND
    answer = json.loads(found.read_text(encoding="utf-8")) if found.is_file() else {}
    print(json.dumps({"found": answer, "protection": protection.model_dump(mode="json")}))
    keeper.end_all(at_once=True)
    keeper.close()


if __name__ == "__main__":
    main()
