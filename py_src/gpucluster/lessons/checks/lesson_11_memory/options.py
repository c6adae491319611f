"""Lesson 11, options: an old command line becomes one that dask-cuda takes today."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.daskcuda import REMOVED, command_problems
from .. import exercise

_WITH_VALUES = {
    "--protocol": ("tcp", "ucx"),
    "--memory-limit": ("64GB", "0.5", "auto"),
    "--device-memory-limit": ("0.8", "24GB"),
    "--rmm-maximum-pool-size": ("38GB", "0.9"),
    "--local-directory": ("/scratch/me", "/local/dask"),
    "--nthreads": ("1", "2"),
    "--name": ("left", "rmm-async", "jit-unspill"),
    "--interface": ("ib0", "eth0"),
}
_FLAGS = ("--enable-cudf-spill", "--rmm-track-allocations", "--no-dashboard", "--enable-infiniband")


def random_command(rng: np.random.Generator, *, asynchronous: bool, pool: bool, background: bool) -> str:
    """Return a command as it was written some years ago, with options in any order."""
    names = [str(name) for name in rng.permutation(sorted(_WITH_VALUES))[: int(rng.integers(0, 4))]]
    options = [_written(rng, name, str(rng.choice(_WITH_VALUES[name]))) for name in names]
    options += [[str(flag)] for flag in rng.permutation(_FLAGS)[: int(rng.integers(0, 3))]]
    if asynchronous:
        options.append(["--rmm-async"])
    if pool and not asynchronous and "--name" not in names:
        options.append(_written(rng, "--name", "rmm-async"))  # a value that looks like an option
    if pool:
        options.append(_written(rng, "--rmm-pool-size", str(rng.choice(["30GB", "24GiB", "0.8"]))))
    if rng.random() < 0.6:
        options.append([str(rng.choice(sorted(REMOVED)))])
    shuffled = [options[place] for place in rng.permutation(len(options))]
    words = ["dask-cuda-worker", *(word for option in shuffled for word in option), *(["&"] if background else [])]
    return " ".join(words)


def _written(rng: np.random.Generator, name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if rng.random() < 0.5 else [name, value]


def kept(words: list[str]) -> list[tuple[str, str]]:
    """Return the options of a command with their values, however they are written, in order."""
    found: list[tuple[str, str]] = []
    for word in words:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            found.append((name, value))
        elif found and not found[-1][1]:
            found[-1] = (found[-1][0], word)
    return found


@exercise("11.8", "repair")
def check_repair(exam: Examination, repair: Any) -> None:
    """What is returned is legal in dask-cuda 26.10, and keeps all that was legal before."""
    for turn in range(48):
        command = random_command(exam.rng, asynchronous=bool(turn & 1), pool=bool(turn & 2), background=bool(turn & 4))
        scheduler = f"tcp://10.0.{int(exam.rng.integers(256))}.{int(exam.rng.integers(1, 255))}:8786"
        found = exam.call(repair, command, scheduler)
        exam.require("It returns the command as text", isinstance(found, str), describe(found))
        problems = command_problems(found)
        exam.expect(
            "dask-cuda 26.10 takes the command", not problems, f"{problems[0]} In: {found}" if problems else found
        )
        words = found.split()
        both_commands = f"{command} → {found}"
        exam.expect("The scheduler's address comes first", words[3:4] == [scheduler], f"{' '.join(words[:5])} …")
        old, new = kept(_plain(command)), kept(_plain(found))
        both = {"--rmm-async", "--rmm-pool-size"} <= {name for name, _ in old}
        wanted = [(name, value) for name, value in old
                  if name not in REMOVED and not (both and name == "--rmm-pool-size")]  # fmt: skip
        missing = [name for name, value in wanted if (name, value) not in new]
        exam.expect("All other options are there, with their values", not missing,
                    f"{missing[0]} is missing or changed: {both_commands}" if missing else "they are")  # fmt: skip
        more = [name for name, value in new if (name, value) not in wanted]
        exam.expect("No option is there that was not, or that must go", not more,
                    f"{more[0]}: {both_commands}" if more else "none")  # fmt: skip
        same = bool(new == wanted or missing or more)
        exam.expect("The order of the options is as it was", same, "it is" if same else both_commands)
        ends = command.endswith("&") == found.endswith("&")
        exam.expect("An & at the end stays there", ends, "it does" if ends else both_commands)


def _plain(command: str) -> list[str]:
    return [word for word in shlex.split(command) if word != "&"]
