"""The checks of lesson 14."""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path
from typing import Any

import numpy as np
from dask.utils import parse_bytes

from ....dask_internals.listening import command_lines
from ...answers import relative_gap, several
from ...checks import exercise
from ...examination import Examination, Halt, describe
from .material import SHORT, asked_for, body, follow, minutes

# Command lines that learners return: as one text for a shell, or as a list of words.


def command_words(exam: Examination, found: Any, what: str = "It") -> list[str]:
    """Return the words of a command line, or end the examination."""
    if isinstance(found, (list, tuple)):
        other = next((word for word in found if not isinstance(word, str)), None)
        exam.require(f"{what} is a text, or a list of texts", other is None, f"there is {describe(other)} in it")
        return list(found)
    exam.require(f"{what} is a text, or a list of texts", isinstance(found, str), describe(found))
    try:
        return shlex.split(found.replace("\\\n", " "))
    except ValueError as error:
        exam.require("A shell can read it", False, f"{error}: {found}")
        raise Halt from error


def option_values(words: list[str], with_values: set[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Read options up to the first word that is none.

    Returns
    -------
    tuple
        Pairs of an option and its value, empty for one without; and the words behind them.
    """
    found: list[tuple[str, str]] = []
    left = list(words)
    while left and left[0].startswith("-"):
        name, equals, value = left.pop(0).partition("=")
        if name in with_values and not equals and left:
            value = left.pop(0)
        found.append((name, value))
    return found, left


# Batch scripts: read as Slurm reads them.


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
        ("Lines below the first command do not count", head + "#SBATCH --nodes=2\necho\n#SBATCH --nodes=3\n"),
        ("Blank lines and comments end nothing", head + "#SBATCH --nodes=2\n\n  # text\n#SBATCH --time=5\necho\n"),
        ("Comments that look like directives do not count", head + "\n".join(_NO_DIRECTIVES) + "\necho\n"),
        ("A comment after a directive is not part of its value", head + "#SBATCH --exclusive # --nodes=2 all\necho\n"),
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
        exam.expect(f"It requests the right {name}", asked.get(name) == true, f"{asked.get(name)!r} {told}")
    asked_minutes = minutes(asked.get("time"))
    exam.expect("It requests the right time", asked_minutes == job["minutes"],
                f"{asked.get('time')!r} is {asked_minutes} minutes instead of {job['minutes']}")  # fmt: skip
    gpus = str(asked.get("gres", asked.get("gpus-per-node", "none"))).removeprefix("gpu:")
    true = str(job["gpus"]) if job["gpus"] else "none"
    exam.expect("It requests GPUs only if there are some", gpus == true,
                f"{asked.get('gres')!r} for {job['gpus']} GPUs")  # fmt: skip


def _lines_are_right(exam: Examination, script: str, site: dict[str, Any], job: dict[str, Any]) -> None:
    lines = body(script)
    exam.require("It has commands", lines, "only comments")
    loaded = [name for line in lines if line.startswith("module load") for name in line.split()[2:]]
    exam.expect("It loads the site's modules, in order", loaded == site["modules"], f"{loaded}, {site['modules']}")
    there = site["activate"] in lines[:-1]
    exam.expect("It activates the site's environment before the workers", there, f"not in {lines}")
    if there and loaded:
        last = max(place for place, line in enumerate(lines) if line.startswith("module load"))
        exam.expect(
            "Modules are loaded before the environment is activated", last < lines.index(site["activate"]), f"{lines}"
        )
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
    exam.expect("dask cuda worker is used with GPUs, dask worker without", right, lines[-1])
    if right:
        options, _ = option_values(command[len(kind) :], {"--scheduler-file", "--nthreads", "--nworkers"})
        given = dict(options)
        exam.expect(
            "The workers read the scheduler file", given.get("--scheduler-file") == job["scheduler_file"], lines[-1]
        )
        if not job["gpus"]:
            exam.expect("CPU workers have one thread per core", given.get("--nthreads") == str(job["cores"]), lines[-1])


# The site: where steps belong, what an allocation costs, how to get to Jupyter on a node.


_PLACES = ("login", "compute", "split")


def true_place(step: dict[str, Any], login_minutes: float) -> str:
    """Return where a step belongs."""
    if not step["gpus"] and step["minutes"] <= login_minutes:
        return "login"
    return "split" if step["internet"] else "compute"


@exercise("14.1", "places")
def check_places(exam: Examination, places: Any) -> None:
    """Each of many random steps is where the rules put it, even at the limit."""
    for turn in range(60):
        limit = [10, 10, 5, 30, 0.5][turn % 5]
        steps = [
            {
                "name": f"step {number}", "internet": bool(exam.rng.random() < 0.5),
                "gpus": int(exam.rng.choice([0, 0, 0, 1, 4])),
                "minutes": float(exam.rng.choice([0, limit / 2, limit, limit + 0.01, limit * 3])),
            }
            for number in range(turn % 6)
        ]  # fmt: skip
        found = exam.call(places, steps, limit) if turn % 5 else exam.call(places, steps)
        listed = hasattr(found, "__iter__") and not isinstance(found, (str, dict, set))
        exam.require("It returns a list", listed, describe(found))
        named = [str(one) for one in found]
        exam.require("It returns one place for each step", len(named) == len(steps), f"{len(named)} for {len(steps)}")
        unknown = next((one for one in named if one not in _PLACES), None)
        exam.require("Each place is 'login', 'compute' or 'split'", unknown is None, f"{unknown!r}")
        for step, place in zip(steps, named, strict=True):
            true = true_place(step, limit)
            shown = {name: value for name, value in step.items() if name != "name"}
            exam.expect(_sentence(step, limit), place == true, f"{place!r} for {shown}, limit {limit} minutes")


def _sentence(step: dict[str, Any], limit: float) -> str:
    if step["gpus"]:
        more = ", and split where it needs the internet" if step["internet"] else ""
        return f"What needs GPUs is never on the login node{more}"
    if step["minutes"] == limit:
        return "A step of exactly the limit is still allowed on the login node"
    if step["minutes"] < limit:
        return "A short step without GPUs is on the login node"
    return "A long step is on a compute node, or split where it needs the internet"


def random_jobs(rng: np.random.Generator, cores: int, gpus: int) -> list[dict[str, Any]]:
    """Return jobs with busy times in any order, some overlapping, some out of the job."""
    jobs = []
    for _ in range(int(rng.integers(0, 4))):
        start = float(rng.uniform(0, 5))
        end = start + float(rng.uniform(0.5, 6))
        begins = rng.uniform(start - 1, end + 0.5, int(rng.integers(0, 6)))
        jobs.append({
            "start": start, "end": end, "nodes": int(rng.integers(1, 5)), "cores": int(rng.integers(1, cores + 1)),
            "gpus": int(rng.integers(0, gpus + 1)),
            "busy": [(float(begin), float(begin + rng.uniform(0.05, 2.5))) for begin in begins],
        })  # fmt: skip
    return jobs


def true_node_hours(jobs: list[dict[str, Any]], cores: int, gpus: int) -> tuple[float, float]:
    """Return charged and idle node-hours, by looking at each piece between two of all the moments."""
    charged = idle = 0.0
    for job in jobs:
        share = max(job["cores"] / cores, job["gpus"] / gpus if gpus else 0.0) * job["nodes"]
        inside = [moment for pair in job["busy"] for moment in pair if job["start"] < moment < job["end"]]
        moments = sorted({job["start"], job["end"], *inside})
        for begin, end in itertools.pairwise(moments):
            middle = (begin + end) / 2
            charged += share * (end - begin)
            if not any(one <= middle <= other for one, other in job["busy"]):
                idle += share * (end - begin)
    return charged, idle


@exercise("14.5", "node_hours")
def check_node_hours(exam: Examination, node_hours: Any) -> None:
    """Both numbers are right for simple cases, each of which has one difficulty, and for random ones."""
    one = {"start": 1.0, "end": 5.0, "nodes": 2, "cores": 8, "gpus": 1, "busy": [(1.0, 5.0)]}
    cases: list[tuple[str, list[dict[str, Any]], int, int]] = [
        ("Without any job, both are 0", [], 32, 4),
        ("The share is the larger one of cores and GPUs", [one, {**one, "cores": 30}, {**one, "gpus": 4}], 32, 4),
        ("Nodes without GPUs are shared by cores", [{**one, "gpus": 0}], 32, 0),
        ("A job that is never busy is idle all the time", [{**one, "busy": []}], 32, 4),
        ("Busy times may come in any order", [{**one, "busy": [(4.0, 4.5), (1.5, 2.0), (3.0, 3.5)]}], 32, 4),
        ("Busy times that overlap count once", [{**one, "busy": [(1.5, 4.0), (2.0, 3.0), (3.5, 4.5)]}], 32, 4),
        ("Busy times outside of the job do not count", [{**one, "busy": [(0.0, 1.5), (4.5, 7.0), (8.0, 9.0)]}], 32, 4),
        ("Busy times before the job do not count", [{**one, "busy": [(0.0, 0.5), (2.0, 3.0)]}], 32, 4),
    ]
    for _ in range(40):
        cores, gpus = int(exam.rng.integers(4, 129)), int(exam.rng.choice([0, 2, 4, 8]))
        cases.append(("Random jobs", random_jobs(exam.rng, cores, gpus), cores, gpus))
    for sentence, jobs, cores, gpus in cases:
        found = several(exam, exam.call(node_hours, jobs, cores, gpus), "charged", "idle")
        true = true_node_hours(jobs, cores, gpus)
        for name, value, right in zip(("charged", "idle"), found, true, strict=True):
            close = _number(value) is not None and relative_gap(float(value), right) < 1e-6 + 1e-9 / max(right, 1e-9)
            told = f"{name}: {value} instead of {right:.4f}"
            exam.expect(f"{sentence}: {name}", close, f"{told}, {describe(jobs)}, {cores} cores, {gpus} GPUs")


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


@exercise("14.6", "tunnel_line")
def check_tunnel_line(exam: Examination, tunnel_line: Any) -> None:
    """The line is followed from the laptop, for both ways of listening and for any ports."""
    for turn in range(24):
        user = str(exam.rng.choice(["me", "ada", "g_rossi1"]))
        login = str(exam.rng.choice(["login.site.org", "login02-ext.example.eu"]))
        node = str(exam.rng.choice(["node7", "lrdn0042", "cn-12"]))
        port, local = (int(one) for one in exam.rng.choice(np.arange(2000, 60000), 2, replace=False))
        loopback = turn % 2 == 0
        line = exam.call(tunnel_line, user, login, node, port, loopback, local)
        exam.require("It returns one text", isinstance(line, str), describe(line))
        route = follow(line, login=login, node=node, port=port, loopback=loopback)
        how = "loopback" if loopback else "its network"
        exam.expect(f"It connects to a server that listens on {how}", route.works, f"{route.told} Line: {line}")
        if not route.works:
            continue
        exam.expect("The laptop's port is local_port", route.local_port == local, f"{route.local_port}: {line}")
        ends = "node" if loopback else "login"
        exam.expect("The connection ends where the rules require", route.ends_at == ends, f"{route.ends_at}: {line}")
        known = all(one == user for one in route.users)
        exam.expect("It gives the user for each machine", known, f"{route.users}: {line}")
        exam.expect("No command is run", route.only_tunnel, line)
        exam.expect("Only programs on the laptop can use its port", not route.for_all, line)


# Command lines of Dask: read as Dask itself reads them; nothing is started.


@exercise("14.4", "scheduler_command", "worker_command")
def check_commands(exam: Examination, scheduler_command: Any, worker_command: Any) -> None:
    """Dask's own command lines are asked how they understand what is returned; nothing is started."""
    commands = command_lines()
    for turn in range(24):
        file: Any = ["/shared/me/scheduler.json", "/shared/our project/s.json", "/tmp/a 'b'/s.json"][turn % 3]  # noqa: S108
        file = Path(file) if turn % 4 == 3 else file
        interface = [None, "ib0", "hsn0"][int(exam.rng.integers(3))]
        protocol = [None, "tcp", "tls", "ucx"][int(exam.rng.integers(4))]
        threads = int(exam.rng.integers(1, 65))
        memory = str(exam.rng.choice(["2 GiB", "512 MiB", "4GB", "100 GiB"]))
        both = (
            ("scheduler", commands["scheduler"], exam.call(scheduler_command, file, interface, protocol)),
            ("worker", commands["worker"], exam.call(worker_command, file, threads, memory, interface, protocol)),
        )
        for name, reader, found in both:
            given = _understood(exam, name, reader, found)
            shown = str(found)
            same = str(given.get("scheduler_file")) == str(file)
            exam.expect(f"The {name} gets the scheduler file", same, f"{given.get('scheduler_file')!r}: {shown}")
            for option, true in (("interface", interface), ("protocol", protocol)):
                told = f"The {name} gets --{option} where it is given, and only there"
                exam.expect(told, given.get(option) == true, f"{given.get(option)!r} instead of {true!r}: {shown}")
            if name == "scheduler":
                exam.expect("The scheduler's port is left to the system", str(given.get("port")) == "0", shown)
                continue
            exam.expect("The worker gets its threads", given.get("nthreads") == threads, shown)
            exam.expect("It is a single process", str(given.get("n_workers")) == "1", shown)
            exam.expect("The worker gets its memory", _bytes(given.get("memory_limit")) == parse_bytes(memory), shown)


def _bytes(text: Any) -> int:
    try:
        return int(parse_bytes(text))
    except (ValueError, AttributeError, TypeError):
        return -1


def _understood(exam: Examination, name: str, reader: Any, found: Any) -> dict[str, Any]:
    """Return the options as Dask's own command line reads them, or end the examination."""
    from click import ClickException

    words = command_words(exam, found, f"The {name}'s command")
    right = words[:2] == ["dask", name]
    exam.require(f"The {name}'s command begins with dask {name}", right, f"it begins with {' '.join(words[:2])}")
    try:
        context = reader.make_context(f"dask {name}", words[2:])
    except ClickException as error:
        exam.require(f"dask {name} accepts the command", False, f"{error.format_message()} In: {found}")
        raise Halt from error
    return dict(context.params)
