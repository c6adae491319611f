"""Imported by Dask's own ``preload`` in schedulers and workers of the tests: makes real starts fail.

``GPUCLUSTER_TEST_FAULT`` says how; ``GPUCLUSTER_TEST_MARK`` is a path for marks. An error while a preload is
imported ends the start; one in ``dask_setup`` would only be logged.
"""

import multiprocessing
import os
import sys
import time
from pathlib import Path

MARK = Path(os.environ["GPUCLUSTER_TEST_MARK"])


def first_of_all() -> bool:
    """Whether this is not a worker, or no other worker was here before."""
    if multiprocessing.parent_process() is None:
        return True
    try:
        with MARK.with_name("first").open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return MARK.with_name("first").read_text() == str(os.getpid())
    return True


def fail(how: str) -> None:
    if how == "raises":
        raise RuntimeError("the disk of this worker is broken")
    if how == "chained":
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            raise RuntimeError("could not prepare") from error
    if how == "dies":
        os._exit(3)
    if how == "hangs":
        MARK.touch()
        time.sleep(600)


who, _, how = os.environ["GPUCLUSTER_TEST_FAULT"].partition("-")
if who == "all" or (who == "second" and not first_of_all()):
    fail(how)
if who == "later" and multiprocessing.parent_process() is not None and MARK.with_name("later").exists():
    fail(how)
if who == "record":
    # The address of the dashboard cannot be written down: the first step after all workers have come.
    (Path(sys.argv[sys.argv.index("--folder") + 1]) / "dashboard.json").mkdir(exist_ok=True)
