"""``python containers.py``: starts the processes of containers from one that has imported Dask already.

Each line of standard input is one container: ``argv``, ``env``, ``cwd``, ``log``. On standard output come lines with
the ``pid`` of each in order, and later its ``status``, negative where a signal ended it.
"""

import json
import os
import signal
import sys
import threading
from typing import Any

import dask.array
import dask.cli
import dask.config
import sklearn.cluster  # noqa: F401


def report(**event: int) -> None:
    os.write(1, f"{json.dumps(event)}\n".encode())  # In one piece, and without a lock that a child could inherit.


def run(argv: list[str], env: dict[str, str], cwd: str, log: str) -> None:
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    with open(os.devnull) as nothing, open(log, "w") as written:
        os.dup2(nothing.fileno(), 0)
        for descriptor in (1, 2):
            os.dup2(written.fileno(), descriptor)
    dask.config.refresh()
    # Workers are forked from their nannies, which have imported everything.
    dask.config.set({"distributed.worker.multiprocessing-method": "fork"})
    sys.argv = argv
    dask.cli.run_cli()


def attend(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    report(pid=pid, status=os.waitstatus_to_exitcode(status))


def main() -> None:
    """Start the requested containers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        arguments: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                run(**arguments)
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(code)
        report(pid=pid)
        threading.Thread(target=attend, args=(pid,), daemon=True).start()


if __name__ == "__main__":
    main()
