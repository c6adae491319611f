"""Prove gpucluster on the GPU of this machine: ``python -m benchmarks.gpu --out DIR``.

Runs piece by piece, each within ten minutes, and can be called again until all pieces are done: those that have passed
at this commit are not repeated.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .piece import Piece, Result, read_result, run, write_json
from .pieces import pieces
from .report import report
from .surroundings import ROOT, commit, surroundings
from .wheelhouse import WheelsUnusable, install, join

UNFINISHED = 3
_LEAST_SECONDS = 60.0
"""With less than this left, no other piece is begun."""


def main(arguments: list[str] | None = None) -> int:
    """Run the pieces that are missing; 0: all have passed, 1: some failed, 3: time is up and some are left."""
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
    with _environment(options) as environment:
        facts = surroundings(simulated=options.simulated)
        write_json(out / "surroundings.json", facts)
        if not options.simulated and not facts["gpus"]:
            print(
                "No NVIDIA GPU was found here: nvidia-smi lists none. --simulated proves the command.", file=sys.stderr
            )
            return 2
        left = [known[name] for name in wanted if options.again or not _is_done(out / name, options.simulated)]
        for piece in left:
            remaining = options.seconds - (time.monotonic() - began)
            if remaining < min(_LEAST_SECONDS, piece.seconds):
                break
            _say_and_run(piece, out, environment, min(piece.seconds, remaining), options.simulated)
    results = {name: read_result(out / name) for name in wanted}
    report(out, facts, results)
    return _verdict(out, results, options.simulated)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description="Prove gpucluster on a GPU.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results; go on with the same one")
    parser.add_argument("--only", default="", help="names of pieces, with commas between them")
    parser.add_argument("--again", action="store_true", help="run pieces that have passed once more")
    parser.add_argument("--seconds", type=float, default=570.0, help="end after so long and go on at the next call")
    parser.add_argument("--wheels", type=Path, help="folder of wheels, whole or in parts, to install first")
    parser.add_argument("--site", type=Path, help="where they are installed; default: OUT/site")
    parser.add_argument("--simulated", action="store_true", help="prove the command itself on a simulated driver")
    return parser.parse_args(arguments)


@contextmanager
def _environment(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Give the environment of the pieces: with the wheels that were brought, and with a simulated driver if asked."""
    environment = dict(os.environ) | {"PYTHONUNBUFFERED": "1"}
    paths = [str(ROOT)]
    site = options.site or options.out.absolute() / "site"
    if options.wheels is not None:
        try:
            install(join(options.wheels, options.out.absolute() / "wheels"), site)
        except (WheelsUnusable, OSError) as error:
            raise SystemExit(f"The wheels cannot be installed: {error}") from None
    if site.is_dir():
        paths.insert(0, str(site))
        sys.path.insert(0, str(site))
    environment["PYTHONPATH"] = os.pathsep.join([*paths, *filter(None, [environment.get("PYTHONPATH")])])
    if not options.simulated:
        yield environment
        return
    sys.path.insert(0, str(ROOT / "tests" / "fakes"))
    from nvml.machine import FakeMachine, compile_libraries, gpu

    with tempfile.TemporaryDirectory() as folder:
        machine = FakeMachine(compile_libraries(Path(folder)), Path(folder) / "machine.txt")
        machine.write([gpu(1, total=81920, name="Simulated GPU")])
        simulated = machine.environment(FAKE_NVML=str(machine.file))
        environment |= {name: simulated[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML", "FAKE_CUDA_INIT")}
        environment["FAKE_CUDA_LOG"] = str(Path(folder) / "calls.txt")
        yield environment


def _is_done(folder: Path, simulated: bool) -> bool:
    result = read_result(folder)
    return result is not None and (result.outcome, result.commit, result.simulated) == ("passed", commit(), simulated)


def _say_and_run(piece: Piece, out: Path, environment: dict[str, str], seconds: float, simulated: bool) -> None:
    missing = [name for name in piece.needs if importlib.util.find_spec(name) is None]
    if missing:
        print(f"{piece.name}: left out, as {', '.join(missing)} cannot be imported here.", flush=True)
        return
    print(f"{piece.name}: {piece.title} …", flush=True)
    result = run(
        piece,
        out / piece.name,
        python=sys.executable,
        environment=environment,
        seconds=seconds,
        commit=commit(),
        simulated=simulated,
    )
    print(f"{piece.name}: {result.outcome} after {result.seconds:.0f} s", flush=True)


def _verdict(out: Path, results: dict[str, Result | None], simulated: bool) -> int:
    failed = [name for name, result in results.items() if result is not None and result.outcome == "failed"]
    missing = [name for name in results if name not in failed and not _is_done(out / name, simulated)]
    if failed:
        print(f"Failed: {', '.join(failed)}; see log.txt in their folders below {out}.")
    if missing:
        print(f"Not done yet: {', '.join(missing)}. Call this again with the same --out.")
    return 1 if failed else UNFINISHED if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
