"""Lesson 14, batch scripts: read as Slurm reads them."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.batchscripts import SHORT, asked_for, body, minutes
from .. import exercise
from .words import option_values

_VALUES = {
    "partition": ("main", "boost_usr_prod"), "account": ("my_project", "x-1"), "nodes": ("1", "2", "16"),
    "ntasks": ("4", "64"), "cpus-per-task": ("8",), "time": ("90", "01:30:00", "1-12:00:00"),
    "job-name": ("a=b", "fit"),
    "output": ("out.%j",), "gres": ("gpu:4", "gpu:a100:2"), "mem": ("64G",),
}  # fmt: skip
_FLAGS = ("exclusive", "requeue", "contiguous")
_NO_DIRECTIVES = (
    "##SBATCH --nodes=99", "# SBATCH --ntasks=99", "#SBATCHES --time=99", "  #SBATCH --partition=wrong", "# a comment",
    "", "   ", "#", "#SBATCH_OLD --mem=1G",
)  # fmt: skip


def random_script(rng: np.random.Generator) -> str:
    """Return a script whose head has directives in all ways of writing, and some below the first command."""
    long = {name: short for short, name in SHORT.items()}
    lines = ["#!/bin/bash"]
    for _ in range(int(rng.integers(0, 6))):
        options = []
        for _ in range(int(rng.integers(1, 4))):
            name = str(rng.choice([*_VALUES, *_FLAGS]))
            if name in _FLAGS:
                options.append(f"--{name}")
                continue
            value, way = str(rng.choice(_VALUES[name])), int(rng.integers(3))
            short = long.get(name)
            options.append(f"{short} {value}" if way == 0 and short else f"--{name}{'= '[way % 2]}{value}")
        end = rng.choice(["", "", "  # because", " #nodes=7"])
        lines.append(f"#SBATCH {' '.join(options)}{end}")
        if rng.random() < 0.5:
            lines.append(str(rng.choice(_NO_DIRECTIVES)))
    commands = ["srun hostname", "module load nvhpc", "  cd $HOME", "export A=1"]
    lines += [str(rng.choice(commands)), "#SBATCH --nodes=77", "#SBATCH --never-read=1", "echo end"]
    return "\n".join(lines) + "\n"


@exercise("14.2", "directives")
def check_directives(exam: Examination, directives: Any) -> None:
    """The same as Slurm reads it, in cases that have one difficulty each, and in random scripts."""
    head = "#!/bin/bash\n"
    cases = [
        ("Both ways of writing a value", head + "#SBATCH --nodes=2\n#SBATCH --time 30\necho\n"),
        ("Short options", head + "#SBATCH -N 2 -p main\n#SBATCH -J fit\necho\n"),
        ("Options without a value are True", head + "#SBATCH --exclusive --nodes=2\n#SBATCH --requeue\necho\n"),
        ("What is below the first command does not count", head + "#SBATCH --nodes=2\necho\n#SBATCH --nodes=3\n"),
        ("Blank lines and comments end nothing", head + "#SBATCH --nodes=2\n\n  # text\n#SBATCH --time=5\necho\n"),
        ("Comments that look like directives do not count", head + "\n".join(_NO_DIRECTIVES) + "\necho\n"),
        ("A comment behind a directive is none of its values", head + "#SBATCH --exclusive # --nodes=2 all\necho\n"),
        ("The later one counts", head + "#SBATCH --nodes=2\n#SBATCH -N 4\necho\n"),
        ("A value may have a = in it", head + "#SBATCH --job-name=a=b\n#SBATCH --comment x=y\necho\n"),
        ("A script without directives", head + "echo\n"),
        ("A script without commands", head + "#SBATCH --nodes=2\n"),
    ]
    cases += [("Random scripts", random_script(exam.rng)) for _ in range(60)]
    for sentence, script in cases:
        found = exam.call(directives, script)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        true = asked_for(script)
        same = found == true and all((found[name] is True) == (true[name] is True) for name in true)
        exam.expect(sentence, same, f"{found} instead of {true}, script: {script[:300]!r}")


_SITES = (
    {"partition": "main", "account": "a1", "modules": [], "activate": ". /shared/e/bin/activate", "cores_per_gpu": 8},
    {"partition": "boost", "account": "my_project", "modules": ["profile/deeplrn", "nvhpc/24.5"],
     "activate": "conda activate course", "cores_per_gpu": 16},
    {"partition": "gpu", "account": "x-2", "modules": ["gcc", "cuda/12.6", "openmpi"],
     "activate": ". /work/env/bin/activate", "cores_per_gpu": 12},
)  # fmt: skip


@exercise("14.3", "worker_script")
def check_worker_script(exam: Examination, worker_script: Any) -> None:
    """What Slurm and a shell would read in it, for several sites and jobs."""
    for turn in range(24):
        site = {**_SITES[turn % 3], "modules": list(_SITES[turn % 3]["modules"])}  # type: ignore[call-overload]
        job = {
            "nodes": int(exam.rng.integers(1, 9)), "gpus": int(exam.rng.choice([0, 1, 2, 4])),
            "cores": int(exam.rng.choice([4, 32, 112])),
            "minutes": int(exam.rng.choice([5, 59, 60, 90, 600, 1440, 2875])),
            "scheduler_file": f"/shared/{exam.rng.choice(['me', 'ada'])}/scheduler-{turn}.json",
        }  # fmt: skip
        script = exam.call(worker_script, site, job)
        exam.require("It returns one text", isinstance(script, str), describe(script))
        exam.expect("The first line is #!/bin/bash", script.splitlines()[:1] == ["#!/bin/bash"], f"{script[:40]!r}")
        _directives_are_right(exam, script, site, job)
        _lines_are_right(exam, script, site, job)


def _directives_are_right(exam: Examination, script: str, site: dict[str, Any], job: dict[str, Any]) -> None:
    asked = asked_for(script)
    told = f"of {site} and {job}"
    cores = job["gpus"] * site["cores_per_gpu"] if job["gpus"] else job["cores"]
    for name, true in (
        ("partition", site["partition"]), ("account", site["account"]), ("nodes", str(job["nodes"])),
        ("ntasks-per-node", "1"), ("cpus-per-task", str(cores)),
    ):  # fmt: skip
        exam.expect(f"It asks for the right {name}", asked.get(name) == true, f"{asked.get(name)!r} {told}")
    asked_minutes = minutes(asked.get("time"))
    exam.expect("It asks for the right time", asked_minutes == job["minutes"],
                f"{asked.get('time')!r} is {asked_minutes} minutes instead of {job['minutes']}")  # fmt: skip
    gpus = str(asked.get("gres", asked.get("gpus-per-node", "none"))).removeprefix("gpu:")
    true = str(job["gpus"]) if job["gpus"] else "none"
    exam.expect("It asks for GPUs where there are some, and only there", gpus == true,
                f"{asked.get('gres')!r} for {job['gpus']} GPUs")  # fmt: skip


def _lines_are_right(exam: Examination, script: str, site: dict[str, Any], job: dict[str, Any]) -> None:
    lines = body(script)
    exam.require("It has commands", lines, "only comments")
    loaded = [name for line in lines if line.startswith("module load") for name in line.split()[2:]]
    exam.expect(
        "It loads the site's modules, in their order", loaded == site["modules"], f"{loaded}, {site['modules']}"
    )
    there = site["activate"] in lines[:-1]
    exam.expect("It activates the site's environment before the workers", there, f"not in {lines}")
    if there and loaded:
        last = max(place for place, line in enumerate(lines) if line.startswith("module load"))
        exam.expect("Modules come before the environment", last < lines.index(site["activate"]), f"{lines}")
    try:
        words = shlex.split(lines[-1])
    except ValueError:
        words = []
    on_all = words[:1] == ["srun"] and "dask" in words
    exam.expect("The last line starts workers with srun", on_all, lines[-1])
    if not on_all:
        return
    command = words[words.index("dask") :]
    kind = ["dask", "cuda", "worker"] if job["gpus"] else ["dask", "worker"]
    right = command[: len(kind)] == kind
    exam.expect("dask cuda worker with GPUs, dask worker without", right, lines[-1])
    if right:
        options, _ = option_values(command[len(kind) :], {"--scheduler-file", "--nthreads", "--nworkers"})
        given = dict(options)
        exam.expect(
            "The workers read the scheduler file", given.get("--scheduler-file") == job["scheduler_file"], lines[-1]
        )
        if not job["gpus"]:
            exam.expect(
                "CPU workers have a thread for each core", given.get("--nthreads") == str(job["cores"]), lines[-1]
            )
