"""The checks of lesson 14, software."""

from __future__ import annotations

import copy
import shlex
from collections import Counter
from collections.abc import Mapping
from typing import Any

import cloudpickle
import numpy as np

from ...answers import number
from ...checks import exercise
from ...examination import Examination, describe
from .checks import command_words, option_values
from .material import RULES

# Containers and pods: a line of Docker for Apptainer, and a manifest with GPUs.


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
        exam.expect(
            "apptainer exec is used with a program, apptainer run without one", words[:2] == ["apptainer", action], told
        )
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
        exam.expect("The scheduler and the workers have the image", images == (image, image), f"{images}")
        for kind in ("requests", "limits"):
            found = resources.get(kind) or {}
            exam.expect(f"The worker's {kind} have the memory", found.get("memory") == memory, f"{found}")
            count = found.get("nvidia.com/gpu", "none")
            whole = str(count) == (str(gpus) if gpus else "none")
            exam.expect(f"The worker's {kind} have the GPUs, or none if there are none", whole, f"{count!r}, {gpus}")
        old = before["spec"]["worker"]["spec"]["containers"][0]["args"]
        args = ["dask", "cuda", "worker", *old[2:]] if gpus else old
        exam.expect("The worker's command is right", list(inside.get("args", [])) == args, f"{inside.get('args')}")
        exam.expect("The scheduler requests no GPU", "nvidia.com/gpu" not in str(outside), f"{outside}")
        exam.expect("Everything else is unchanged", _rest(new) == _rest(before), "something was lost, added or changed")
        _change(new)
        exam.expect(
            "The new manifest shares no objects with the old one", manifest == before, "a change in one is in both"
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


# One reduction for several frameworks: any order, any grouping, contributions that travel and stay.


Rows = list[tuple[str, float | None]]


def random_parts(rng: np.random.Generator, turn: int) -> list[Rows]:
    """Return parts of different length, some empty, some with keys that are never measured."""
    keys = ["EWR", "JFK", "LGA", "TTN", "SWF"][: 1 + turn % 5]
    parts: list[Rows] = []
    for _ in range(1 + int(rng.integers(6))):
        rows: Rows = []
        for _ in range(int(rng.choice([0, 1, 3, 20]))):
            key = str(rng.choice(keys))
            value = [None, 0, float(rng.normal(10, 30)), int(rng.integers(-20, 300))][int(rng.integers(4))]
            rows.append((key, None if key == "SWF" else value))
        parts.append(rows)
    return parts


def true_means(parts: list[Rows]) -> dict[str, float]:
    """Return the mean of each key that has a number."""
    known: dict[str, list[float]] = {}
    for key, value in (row for part in parts for row in part):
        if value is not None:
            known.setdefault(key, []).append(value)
    return {key: sum(values) / len(values) for key, values in known.items()}


@exercise("14.11", "partial", "combine", "finish")
def check_reduction(exam: Examination, partial: Any, combine: Any, finish: Any) -> None:
    """The means are right however the contributions are combined, and each can be used again."""
    for turn in range(40):
        parts = random_parts(exam.rng, turn)
        found = [_travelled(exam, exam.call(partial, part)) for part in parts]
        true = true_means(parts)
        for way, total in (
            ("One after the other", _in_a_row(exam, combine, found)),
            ("In pairs, as a tree", _as_tree(exam, combine, found)),
            ("In another order", _in_a_row(exam, combine, found[::-1])),
        ):
            _right(exam, f"{way}, the means are right", exam.call(finish, total), true)
            _right(exam, "A contribution can be used again", exam.call(finish, total), true)


def _travelled(exam: Examination, contribution: Any) -> Any:
    """Send a contribution as Dask does, between two processes."""
    try:
        return cloudpickle.loads(cloudpickle.dumps(contribution))
    except Exception as error:
        exam.require("A contribution can travel to another process", False, f"{type(error).__name__}: {error}"[:200])
        raise


def _in_a_row(exam: Examination, combine: Any, found: list[Any]) -> Any:
    total = found[0]
    for one in found[1:]:
        total = exam.call(combine, total, one)
    return total


def _as_tree(exam: Examination, combine: Any, found: list[Any]) -> Any:
    while len(found) > 1:
        pairs = [found[place : place + 2] for place in range(0, len(found), 2)]
        found = [exam.call(combine, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return found[0]


def _right(exam: Examination, sentence: str, means: Any, true: dict[str, float]) -> None:
    means = means.to_dict() if hasattr(means, "to_dict") else means
    exam.require("finish returns a dictionary", isinstance(means, Mapping), describe(means))
    same = set(means) == set(true)
    exam.expect(
        "All keys with a number are included, and no others", same, f"{sorted(means)} instead of {sorted(true)}"
    )
    if same:
        gap = max(
            (abs(number(exam, means[key], "A mean") - true[key]) / max(1, abs(true[key])) for key in true), default=0
        )
        exam.expect(sentence, gap < 1e-9, f"a mean is off by {gap:.2g} of its size")


# Software: old installations, and the order of the whole way.


_OTHERS = ("numpy", "cupy", "psutil", "pandas", "dask-jobqueue", "python-dateutil", "makefun", "rmm-tools", "py-cython")
_PINS = ("", "", "=1.2", "==2021.1.1", ">=1.20", "<3", "!=2.0", "=3.8.*", ">1,<2")


def random_installation(rng: np.random.Generator) -> tuple[list[str], list[str], list[str]]:
    """Return the words of a command, the names of its packages, and the options that stay."""
    names = [str(name) for name in rng.permutation([*RULES, *_OTHERS])[: int(rng.integers(1, 12))]]
    packages = [[f"{name}{rng.choice(_PINS)}"] for name in names]
    sources = rng.permutation(["conda-forge", "rapidsai", "nvidia", "numpy"])[: int(rng.integers(0, 4))]
    channels = [[str(rng.choice(["-c", "--channel"])), str(one)] for one in sources]
    stay = [["-y"]] if rng.random() < 0.4 else []
    stay += [["-n", str(rng.choice(["course", "dask", "rmm"]))]] if rng.random() < 0.5 else []
    parts = [*packages, *channels, *stay]
    words = ["conda", str(rng.choice(["install", "create"]))]
    words += [word for place in rng.permutation(len(parts)) for word in parts[place]]
    return words, names, [word for one in stay for word in one]


@exercise("14.7", "modernise")
def check_modernise(exam: Examination, modernise: Any) -> None:
    """Packages, channels and options of random old commands are as the rules say."""
    for turn in range(60):
        words, names, stay = random_installation(exam.rng)
        rules = {
            name: (f"{name}=9" if new and turn % 2 else new) for name, new in RULES.items() if exam.rng.random() < 0.8
        }
        channels = [str(one) for one in exam.rng.permutation(["rapidsai", "conda-forge", "local"])[: 1 + turn % 3]]
        command = " ".join(words)
        found = command_words(exam, exam.call(modernise, command, rules, channels))
        told = f"{command} → {' '.join(found)}"
        exam.expect("It starts like the old one", found[:2] == words[:2], told)
        new = [rules.get(name, name) for name in names]
        wanted = Counter(one for one in new if one is not None)
        options, packages, given, late = _read(found[2:])
        kept = " ".join(sorted(options)) == " ".join(sorted(stay))
        exam.expect("Only -n with its name and -y stay", kept, f"{options}: {told}")
        exam.expect("The channels are the new ones, in order", given == channels, told)
        exam.expect("The channels come before the packages", not late, told)
        missing = list((wanted - Counter(packages)).elements())
        exam.expect("All packages that the rules require are listed", not missing, f"missing: {missing}, {told}")
        more = list((Counter(packages) - wanted).elements())
        exam.expect("No others are listed, and no old pins", not more, f"too much: {more}, {told}")


def _read(words: list[str]) -> tuple[list[str], list[str], list[str], bool]:
    """Return options with their values, packages, channels, and whether a channel comes after a package."""
    options: list[str] = []
    packages: list[str] = []
    channels: list[str] = []
    late = False
    left = [part for word in words
            for part in (word.split("=", 1) if word.startswith("--channel=") else [word])]  # fmt: skip
    while left:
        word = left.pop(0)
        if word in {"-c", "--channel"} and left:
            channels.append(left.pop(0))
            late = late or bool(packages)
        elif word == "-n" and left:
            options += [word, left.pop(0)]
        elif word.startswith("-"):
            options.append(word)
        else:
            packages.append(word)
    return options, packages, channels, late


@exercise("14.8", "order")
def check_way_onto_the_machine(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "14.8", order)
