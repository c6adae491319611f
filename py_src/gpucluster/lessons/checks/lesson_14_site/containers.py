"""Lesson 14, containers and pods: a line of Docker for Apptainer, and a manifest with GPUs."""

from __future__ import annotations

import copy
import shlex
from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from .words import command_words, option_values

_BECOME = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
_GONE = {
    "-u": "1000:1000", "--user": "me", "-p": "8888:8888", "--publish": "80:80", "--name": "fit", "--shm-size": "1g",
    "--network": "host", "--ipc": "host",
}  # fmt: skip
_VALUES = {
    "--bind": ("/work/me:/data", "/scratch:/scratch:ro", "/my files:/data"), "--pwd": ("/data", "/my dir"),
    "--env": ("OMP_NUM_THREADS=8", "MESSAGE=hello world", "A=b=c"),
}  # fmt: skip
_PROGRAMS: tuple[list[str], ...] = (
    [], ["python", "train.py", "-v"], ["python", "-c", "print('hello world')"], ["bash", "-c", "echo $HOME; ls -p 1"],
    ["dask", "worker", "--name", "w1", "-e", "x"],
)  # fmt: skip


def random_docker(rng: np.random.Generator, again: bool = False) -> tuple[str, list[tuple[str, str]], str, list[str]]:
    """Return a line of Docker, the options of Apptainer in their order, the image, and the program.

    Binds and variables come several times where they are to come again.
    """
    flags = rng.permutation(["--rm", "-it", "-d", "-t"])[: int(rng.integers(0, 3))]
    parts: list[tuple[list[str], tuple[str, str] | None]] = [([str(flag)], None) for flag in flags]
    if rng.random() < 0.6:
        parts.append((["--gpus", "all"] if rng.random() < 0.5 else ["--gpus=all"], ("--nv", "")))
    names = [str(name) for name in rng.permutation([*_BECOME, *_GONE])[: int(rng.integers(0, 7))]]
    values = {target: [str(value) for value in rng.permutation(texts)] for target, texts in _VALUES.items()}
    if again:
        names = [name for name in names if _BECOME.get(name) not in {"--bind", "--env"}]
        names += [str(rng.choice([short, long])) for short, long in (("-v", "--volume"), ("-e", "--env")) * 3]
    for name in names:
        target = _BECOME.get(name)
        value = values[target].pop() if target else _GONE[name]
        if target == "--pwd" and any(part[1] and part[1][0] == "--pwd" for part in parts):
            continue
        joined = name.startswith("--") and rng.random() < 0.5
        parts.append(([f"{name}={value}"] if joined else [name, value], (target, value) if target else None))
    shuffled = [parts[place] for place in rng.permutation(len(parts))]
    image = str(rng.choice(["rapidsai/base:26.10", "python:3.12-slim", "ghcr.io/dask/dask"]))
    program = list(_PROGRAMS[int(rng.integers(len(_PROGRAMS)))])
    line = shlex.join(["docker", "run", *(word for words, _ in shuffled for word in words), image, *program])
    return line, [wanted for _, wanted in shuffled if wanted], image, program


@exercise("14.9", "to_apptainer")
def check_to_apptainer(exam: Examination, to_apptainer: Any) -> None:
    """Options, image and program of random lines are what the table says."""
    for turn in range(60):
        line, wanted, image, program = random_docker(exam.rng, again=turn % 3 == 0)
        words = command_words(exam, exam.call(to_apptainer, line))
        told = f"{line} → {shlex.join(words)}"
        action = "exec" if program else "run"
        exam.expect("apptainer exec with a program, apptainer run without", words[:2] == ["apptainer", action], told)
        options, rest = option_values(words[2:], {"--bind", "-B", "--pwd", "--cwd", "--env"})
        # The line stands beside the first property; beside the others, where they do not hold.
        _expect(exam, "The image is Docker's, by its docker:// name", rest[:1] == [f"docker://{image}"], told)
        _expect(exam, "The program and its own options stay as they are", rest[1:] == program, told)
        for name in ("--nv", "--bind", "--pwd", "--env"):
            values = [
                value for option, value in options if {"-B": "--bind", "--cwd": "--pwd"}.get(option, option) == name
            ]
            true = [value for option, value in wanted if option == name]
            values = [part for value in values for part in value.split(",")] if name == "--bind" else values
            same = f"{name} is there where Docker's option was, with the same values in order"
            _expect(exam, same, values == true, told)
        other = [name for name, _ in options if name not in {"--nv", "--bind", "-B", "--pwd", "--cwd", "--env"}]
        _expect(exam, "Nothing of what goes is left", not other, f"{other}: {told}")


def _expect(exam: Examination, expected: str, passed: bool, observed: str) -> None:
    exam.expect(expected, passed, "" if passed else observed)


def random_manifest(rng: np.random.Generator) -> dict[str, Any]:
    """Return a DaskCluster as people write it."""
    name = str(rng.choice(["class", "fit-1"]))
    options = [["--name", "$(DASK_WORKER_NAME)"], ["--nthreads", "2", "--death-timeout", "60"], []][
        int(rng.integers(3))
    ]
    labels = {"dask.org/cluster-name": name, "dask.org/component": "scheduler"}
    return {
        "apiVersion": "kubernetes.dask.org/v1", "kind": "DaskCluster", "metadata": {"name": name, "labels": {"a": "b"}},
        "spec": {
            "scheduler": {
                "spec": {"containers": [{"name": "scheduler", "image": "old:1", "args": ["dask", "scheduler"]}]},
                "service": {"type": "ClusterIP", "selector": labels, "ports": [{"name": "tcp-comm", "port": 8786}]},
            },
            "worker": {
                "replicas": int(rng.integers(0, 5)),
                "spec": {"containers": [{"name": "worker", "image": "old:1", "args": ["dask", "worker", *options],
                                         "env": [{"name": "A", "value": "1"}]}]},
            },
        },
    }  # fmt: skip


@exercise("14.10", "with_gpus")
def check_with_gpus(exam: Examination, with_gpus: Any) -> None:
    """The new manifest has what was asked for, everything else as before, and nothing in common with the old one."""
    for turn in range(30):
        manifest = random_manifest(exam.rng)
        workers, gpus = int(exam.rng.integers(1, 9)), int([0, 1, 2, 4][turn % 4])
        image, memory = f"example.org/rapids:{exam.rng.integers(20, 30)}", f"{exam.rng.integers(1, 65)}Gi"
        before = copy.deepcopy(manifest)
        new = exam.call(with_gpus, manifest, workers, image, gpus, memory)
        exam.require("It returns a dictionary", isinstance(new, dict), describe(new))
        try:
            worker, scheduler = new["spec"]["worker"], new["spec"]["scheduler"]
            (inside,), (outside,) = worker["spec"]["containers"], scheduler["spec"]["containers"]
            resources = inside.get("resources") or {}
        except (KeyError, TypeError, ValueError) as error:
            exam.require("It has the parts of the old manifest", False, f"{type(error).__name__}: {error}")
            return
        exam.expect("The number of workers is right", worker.get("replicas") == workers, f"{worker.get('replicas')}")
        images = (inside.get("image"), outside.get("image"))
        exam.expect("Scheduler and workers have the image", images == (image, image), f"{images}")
        for kind in ("requests", "limits"):
            found = resources.get(kind) or {}
            exam.expect(f"The worker's {kind} have the memory", found.get("memory") == memory, f"{found}")
            count = found.get("nvidia.com/gpu", "none")
            whole = str(count) == (str(gpus) if gpus else "none")
            exam.expect(
                f"The worker's {kind} have the GPUs, and none where there are none", whole, f"{count!r}, {gpus}"
            )
        old = before["spec"]["worker"]["spec"]["containers"][0]["args"]
        args = ["dask", "cuda", "worker", *old[2:]] if gpus else old
        exam.expect(
            "The worker's command is the right one", list(inside.get("args", [])) == args, f"{inside.get('args')}"
        )
        exam.expect("The scheduler asks for no GPU", "nvidia.com/gpu" not in str(outside), f"{outside}")
        exam.expect("Everything else is as it was", _rest(new) == _rest(before), "something was lost, added or changed")
        _change(new)
        exam.expect(
            "The new manifest shares nothing with the old one", manifest == before, "a change in one is in both"
        )


def _rest(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest without what the exercise changes."""
    rest = copy.deepcopy(manifest)
    rest["spec"]["worker"].pop("replicas", None)
    for part in ("worker", "scheduler"):
        for container in rest["spec"][part]["spec"]["containers"]:
            container.pop("image", None)
    for name in ("resources", "args"):
        rest["spec"]["worker"]["spec"]["containers"][0].pop(name, None)
    return rest


def _change(part: Any) -> None:
    """Change all dictionaries and lists, however deep."""
    for inner in list(part.values()) if isinstance(part, dict) else part:
        if isinstance(inner, (dict, list)):
            _change(inner)
    if isinstance(part, dict):
        part["changed"] = True
    else:
        part.append("changed")
