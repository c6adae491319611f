"""Prove gpucluster on the GPU of this machine: ``python -m benchmarks.gpu --out DIR``.

Runs piece by piece, each within ten minutes, and can be called again until all pieces are done: those that have passed
at this commit are not repeated.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .machine_facts import ROOT, commit, machine_facts
from .packed import WheelsUnusable
from .piece import Piece, Result, read_result, run, write_json
from .pieces import pieces
from .report import report
from .wheelhouse import install, library_folders, site_of

UNFINISHED = 3
IMPOSSIBLE = 4


def main(arguments: list[str] | None = None) -> int:
    """Run the pieces that are missing.

    Returns
    -------
    int
        0: all have passed. 1: some failed or took too long. 2: it cannot be begun so. 3: time is up, and the next call
        goes on. 4: some cannot be run here, as a library is missing.
    """
    options = _options(arguments)
    known = {piece.name: piece for piece in pieces(simulated=options.simulated)}
    wanted = [name for name in options.only.split(",") if name] if options.only else list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"There is no piece {', '.join(unknown)}. There are: {', '.join(known)}.", file=sys.stderr)
        return 2
    out: Path = options.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with _setting(options) as setting:
        facts = machine_facts(simulated=options.simulated)
        if not options.simulated and not facts["gpus"]:
            print(
                "No NVIDIA GPU was found here: nvidia-smi lists none. --simulated proves the command.", file=sys.stderr
            )
            return 2
        if another := _begun_elsewhere(out, facts):
            print(another, file=sys.stderr)
            return 2
        write_json(out / "machine.json", facts)
        left = [known[name] for name in wanted if options.again or not _is_done(out / name, options.simulated)]
        for piece in left:
            if options.seconds - (time.monotonic() - began) < piece.seconds:
                continue  # It would be cut off. A shorter one may fit.
            _say_and_run(piece, out, setting, options.simulated)
    report(out, facts, {name: read_result(out / name) for name in known})
    return _verdict(out, [known[name] for name in wanted], options)


def _begun_elsewhere(out: Path, facts: dict[str, Any]) -> str | None:
    """Return an error message if the folder's results are from another machine, else ``None``."""
    try:
        before = json.loads((out / "machine.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    first, second = (
        (one["simulated"], [(gpu["name"], gpu["driver_version"]) for gpu in one["gpus"] if not one["simulated"]])
        for one in (before, facts)
    )
    if first == second:
        return None
    return f"{out} holds results of another GPU or driver, or of a simulated one; name another folder."


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description="Test gpucluster on a GPU.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results; use the same one to continue")
    parser.add_argument("--only", default="", help="names of pieces, separated by commas")
    parser.add_argument("--again", action="store_true", help="also run pieces that have passed")
    parser.add_argument("--seconds", type=float, default=570.0, help="stop after this time; the next call continues")
    parser.add_argument("--wheels", type=Path, help="folder of wheels, whole or in parts, to install first")
    parser.add_argument(
        "--environment", type=Path, help="environment to create for the wheels; default: OUT/environment"
    )
    parser.add_argument("--simulated", action="store_true", help="test the command itself on a simulated driver")
    return parser.parse_args(arguments)


class Setting(NamedTuple):
    """What pieces run with."""

    python: str
    variables: dict[str, str]


@contextmanager
def _setting(options: argparse.Namespace) -> Iterator[Setting]:
    """Give Python and variables of the pieces: with the wheels that were brought, and a simulated driver if asked."""
    out = options.out.absolute()
    variables = dict(os.environ) | {"PYTHONUNBUFFERED": "1"}
    paths = [str(ROOT), *filter(None, [variables.get("PYTHONPATH")])]
    variables["PYTHONPATH"] = os.pathsep.join(paths)
    python = sys.executable
    if options.wheels is not None:
        environment = options.environment or out / "environment"
        try:
            python = str(install(options.wheels, environment.absolute()))
        except (WheelsUnusable, OSError) as error:
            raise SystemExit(f"The wheels cannot be installed: {error}") from None
        sys.path.insert(0, str(site_of(environment)))  # for versions, and for what is missing
        libraries = [str(folder) for folder in library_folders(environment)]
        known = filter(None, [variables.get("LD_LIBRARY_PATH")])
        variables["LD_LIBRARY_PATH"] = os.pathsep.join([*libraries, *known])
    if not options.simulated:
        yield Setting(python, variables)
        return
    sys.path.insert(0, str(ROOT / "tests" / "fakes"))
    from nvml.machine import FakeMachine, compile_libraries, gpu

    with tempfile.TemporaryDirectory() as folder:
        machine = FakeMachine(compile_libraries(Path(folder)), Path(folder) / "machine.txt")
        machine.write([gpu(1, total=81920, name="Simulated GPU")])
        simulated = machine.environment(FAKE_NVML=str(machine.file))
        variables |= {name: simulated[name] for name in ("FAKE_NVML", "FAKE_CUDA_INIT")}
        libraries = [simulated["LD_LIBRARY_PATH"], *filter(None, [variables.get("LD_LIBRARY_PATH")])]
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
        variables["FAKE_CUDA_LOG"] = str(Path(folder) / "calls.txt")
        yield Setting(python, variables)


def _missing(piece: Piece) -> list[str]:
    return [name for name in piece.needs if importlib.util.find_spec(name) is None]


def _is_done(folder: Path, simulated: bool) -> bool:
    result = read_result(folder)
    return result is not None and (result.outcome, result.commit, result.simulated) == ("passed", commit(), simulated)


def _say_and_run(piece: Piece, out: Path, setting: Setting, simulated: bool) -> None:
    missing = _missing(piece)
    if missing:
        print(f"{piece.name}: left out, as {', '.join(missing)} cannot be imported here.", flush=True)
        return
    print(f"{piece.name}: {piece.title} …", flush=True)
    result = run(
        piece,
        out / piece.name,
        python=setting.python,
        environment=setting.variables,
        commit=commit(),
        simulated=simulated,
    )
    print(f"{piece.name}: {result.outcome} after {result.seconds:.0f} s", flush=True)


def _verdict(out: Path, wanted: list[Piece], options: argparse.Namespace) -> int:
    results = {piece.name: read_result(out / piece.name) for piece in wanted}
    missing = [piece for piece in wanted if not _is_done(out / piece.name, options.simulated)]
    impossible = [piece for piece in missing if _missing(piece)]
    failed = [piece for piece in missing if piece not in impossible and _has_failed(results[piece.name])]
    waiting = [piece for piece in missing if piece not in impossible and piece not in failed]
    too_long = [piece for piece in waiting if piece.seconds > options.seconds]
    waiting = [piece for piece in waiting if piece not in too_long]
    if failed:
        print(f"Failed: {_names(failed)}; see log.txt in their folders below {out}.")
    if too_long:
        least = max(piece.seconds for piece in too_long)
        print(f"Not begun, as --seconds is less than they may take: {_names(too_long)}. Give at least {least:.0f}.")
    if waiting:
        print(f"Not done yet: {_names(waiting)}. Call this again with the same --out.")
    if impossible:
        print(f"Cannot be done here: {_names(impossible)}.")
    if failed:
        return 1
    if waiting:
        return UNFINISHED
    return 2 if too_long else IMPOSSIBLE if impossible else 0


def _has_failed(result: Result | None) -> bool:
    """Whether the last run of a piece, which has not passed with this code, came to its end with this code."""
    return result is not None and result.outcome != "passed" and result.commit == commit()


def _names(pieces_: list[Piece]) -> str:
    return ", ".join(piece.name for piece in pieces_)


if __name__ == "__main__":
    raise SystemExit(main())
