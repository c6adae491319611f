"""The process behind ``capped``: import, set the cap, call, and write down how it ended."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

from ....operating_system.resources import address_bytes, peak_resident_bytes, resident_bytes


def _cap(limit: int) -> None:
    import resource

    addresses = address_bytes()
    if addresses:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (addresses + limit, hard))


def _call(function: Any, args: Any) -> dict[str, Any]:
    before, started = resident_bytes(os.getpid()), time.perf_counter()
    ended: dict[str, Any] = {"survived": False, "value": None, "kind": "", "message": "", "seconds": 0.0}
    try:
        value = function(*args)
        pickle.dumps(value)
        ended |= {"survived": True, "value": value, "seconds": time.perf_counter() - started}
    except MemoryError as error:
        ended |= {"kind": "MemoryError", "message": str(error) or "no memory left"}
    except Exception as error:
        ended |= {"kind": type(error).__name__, "message": str(error)}
    return {**ended, "peak_bytes": max(0, peak_resident_bytes() - before)}


def main(asked: str, answered: str) -> None:
    """Do what is asked for, and write the outcome."""
    # Loading the order imports the libraries that the function names, before the cap is set.
    function, args, limit, imports = pickle.loads(Path(asked).read_bytes())  # noqa: S301 (from our own parent)
    for name in imports:
        importlib.import_module(name)
    Path(answered).with_suffix(".ready").write_text(str(resident_bytes(os.getpid())), encoding="ascii")
    _cap(limit)
    ended = _call(function, args)
    partial = Path(f"{answered}.part")
    partial.write_bytes(pickle.dumps(ended))
    partial.rename(answered)


if __name__ == "__main__":
    main(*sys.argv[1:])
