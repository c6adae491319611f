"""The command line, in a new process, knows the kind of another package without importing Dask."""

import subprocess
import sys

LOOK = """
import contextlib, io, sys
from gpucluster.cli import main
from gpucluster.protocol.kinds import parse_spec, usable_kinds
print(*usable_kinds())
print(parse_spec({"backend": "subprocess", "queue": "long"}).queue)
shown = io.StringIO()
with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
    main(["create", "--help"])
help = " ".join(shown.getvalue().split())
kinds = "{auto,cuda,local,slurm,ssh,mpi,kubernetes,gateway,existing,subprocess}"
print(kinds in help, "--queue-seconds" in help, "Where the workers wait." in help)
print([name for name in sys.modules if name.split(".")[0] in {"dask", "distributed"}])
"""


def test_the_command_line_offers_it_without_importing_dask(subprocess_kind):
    # -P, like the supervisor of a cluster.
    command = [sys.executable, "-P", "-c", LOOK]
    done = subprocess.run(command, env=subprocess_kind, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "auto cuda local slurm ssh mpi kubernetes gateway existing subprocess",
        "long",
        "True True True",
        "[]",
    ], done.stderr
