"""What lesson 14 reads and simulates: scripts, installations, routes, the loop that controls."""

from __future__ import annotations

import getopt
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....dask_internals.other_packages import slurm_jobs

# Batch scripts of Slurm as sbatch reads them: which lines ask for something, and for what.


SHORT = {
    "-A": "account", "-c": "cpus-per-task", "-J": "job-name", "-N": "nodes", "-n": "ntasks", "-o": "output",
    "-p": "partition", "-t": "time",
}  # fmt: skip
"""Short options of sbatch, and the long ones that they stand for."""
NO_SCRIPT = (
    "This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
)
"""What sbatch says, word for word."""
_TIME = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")

Directives = dict[str, str | bool]


def asked_for(script: str) -> Directives:
    """Return the options of a batch script, by their long names; one without a value is ``True``."""
    found: Directives = {}
    for line in script.splitlines():
        if line.startswith(("#SBATCH ", "#SBATCH\t")):
            _take(line.split()[1:], found)
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return found


def _take(words: list[str], found: Directives) -> None:
    name = ""
    for word in words:
        if word.startswith("#"):
            return
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            name = SHORT.get(name, name.lstrip("-"))
            found[name] = value if equals else True
        elif name:
            found[name], name = word, ""


def body(script: str) -> list[str]:
    """Return the lines of a script that are carried out, without blank ones and comments."""
    return [line.strip() for line in script.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def refusal(script: str) -> str:
    """Return why sbatch would not even look at a script; empty where it would."""
    return "" if script.startswith("#!/") else NO_SCRIPT


def minutes(text: object) -> float | None:
    """Return the minutes of a time limit as Slurm writes it; ``None`` where it is none.

    ``30`` are minutes, ``30:00`` minutes and seconds, ``1:30:00`` hours and so on; with days, what follows is hours.
    """
    found = _TIME.fullmatch(str(text))
    if not found:
        return None
    days, *given = found.groups()
    first, second, third = (int(part or 0) for part in given)
    if days is not None:
        return int(days) * 1440 + first * 60 + second + third / 60
    if given[2] is not None:
        return first * 60 + second + third / 60
    return first + second / 60


# What dask-jobqueue would submit, without a scheduler and without Slurm.


def jobqueue_script(**options: Any) -> str:
    """Return the script of ``SLURMCluster(**options).job_script()``, or a sentence where the package is missing.

    The cluster itself would start a scheduler; here an address stands in for it.
    """
    try:
        job = slurm_jobs()
    except ImportError:
        return "dask-jobqueue is not installed here: pip install 'gpucluster[slurm]'."
    script: str = job(scheduler="tcp://10.0.0.1:8786", name="0", python="python", **options).job_script()
    return script


# Lines of installations and containers as old guides have them, and what has become of their packages.


OLD_INSTALLATION = (
    "conda install -c conda-forge -c rapidsai -c nvidia automake make libtool pkg-config libhwloc psutil python=3.8 "
    "setuptools cython cudatoolkit=10.2 cupy dask-cudf dask==2021.1.1 distributed numpy rmm"
)
"""From the guide of MPI4Dask 0.2."""
RULES: dict[str, str | None] = {
    "automake": None, "make": None, "libtool": None, "pkg-config": None, "libhwloc": None, "setuptools": None,
    "cython": None, "python": "python=3.12", "cudatoolkit": "cuda-version=13", "dask-cudf": "dask-cudf=26.10",
    "rmm": "rmm=26.10", "dask": None, "distributed": None,
}  # fmt: skip
"""For RAPIDS 26.10. Tools to compile with are not needed any more; dask-cudf brings the Dask that it goes with."""
OLD_RUN = (
    "docker run --rm -it --gpus all -p 8888:8888 -v /project/me:/data:ro -e OMP_NUM_THREADS=8 -w /data --shm-size=1g "
    "rapidsai/base:26.10-cuda13-py3.12 python train.py -v"
)


# Where a line of ssh with a local forwarding leads to, on a site with one login node; nothing is connected to.


_OPTIONS = "NfTnCqvx46AaXYgJ:L:l:p:o:i:F:"
_HERE = {"localhost", "127.0.0.1", "[::1]"}


@dataclass(frozen=True)
class Route:
    """What becomes of a tunnel.

    Attributes
    ----------
    works : bool
        Whether the browser gets Jupyter's pages.
    told : str
        What happens.
    ends_at : str
        Where the SSH connection ends: ``"laptop"`` where there is none, ``"login"`` or ``"node"``.
    reaches : str
        Machine that the last step asks.
    asks : str
        What it is asked for, such as ``"localhost:8888"``.
    local_port : int or None
    users : tuple of str
        Of each machine that is logged in to; empty where the line does not say.
    only_tunnel : bool
        Whether no command is run.
    for_all : bool
        Whether others may use the laptop's port.
    """

    works: bool
    told: str
    ends_at: str = "laptop"
    reaches: str = ""
    asks: str = ""
    local_port: int | None = None
    users: tuple[str, ...] = ()
    only_tunnel: bool = False
    for_all: bool = False


def follow(line: str, *, login: str, node: str, port: int, loopback: bool) -> Route:
    """Follow a line of ssh from the laptop.

    Parameters
    ----------
    login, node : str
        Names of the login node and of the node where Jupyter listens.
    port : int
        Jupyter's.
    loopback : bool
        Whether it listens on the node's loopback only, or else on the node's network only.
    """
    try:
        program, *words = shlex.split(line)
        options, others = getopt.gnu_getopt(words, _OPTIONS)
    except (ValueError, getopt.GetoptError) as error:
        return Route(False, f"The shell or ssh cannot parse it: {error}.")
    if program != "ssh" or not others:
        return Route(False, "It is not an ssh command with the name of a machine.")
    given: dict[str, list[str]] = {}
    for name, value in options:
        given.setdefault(name, []).append(value)
    user = given.get("-l", [""])[-1]
    jumps = [one for value in given.get("-J", []) for one in value.split(",")]
    jumps += [one.split("=", 1)[1] for one in given.get("-o", []) if one.startswith("ProxyJump=")]
    hops = [_hop(one, "") for one in jumps] + [_hop(others[0], user)]
    forwards = given.get("-L", [])
    if len(forwards) == 1 and forwards[0].replace("[::1]", "localhost").count(":") not in {2, 3}:
        return Route(False, f"-L {forwards[0]} forwards nothing: PORT:HOST:PORT is needed.")
    if len(forwards) != 1:
        return Route(False, f"It has {len(forwards)} forwardings (-L); one is needed.")
    return _followed(hops, forwards[0], login, node, port, loopback, only="-N" in given and len(others) == 1,
                     shared="-g" in given)  # fmt: skip


def _hop(text: str, user: str) -> tuple[str, str]:
    name, at, host = text.rpartition("@")
    return (name if at else user), host.partition(":")[0]


def _followed(
    hops: list[tuple[str, str]], forward: str, login: str, node: str, port: int, loopback: bool, *, only: bool,
    shared: bool,
) -> Route:  # fmt: skip
    *bind, local, host, far = forward.replace("[::1]", "localhost").split(":")
    at = "laptop"
    for _, name in hops:
        here = {login: "login", node: "node"}.get(name, "")
        if not here or (at == "laptop" and here == "node"):
            why = f"{name} is not known here" if not here else f"the laptop cannot reach {node}, only the login node"
            return Route(False, f"The connection fails: {why}.", at)
        at = here
    target = at if host in _HERE else {login: "login", node: "node"}.get(host, "")
    asks = f"{host}:{far}"
    if target != "node":
        told = (
            f"The browser reaches port {far} of the {'login node' if target == 'login' else host}, where no Jupyter is."
        )
    elif far != str(port):
        told = f"It asks {node} for port {far}; Jupyter listens on {port}."
    elif loopback and not (at == "node" and host in _HERE):
        told = f"It asks for {asks} from outside of the loopback of {node}: refused."
    elif not loopback and host in _HERE:
        told = f"It asks for {asks}, but Jupyter listens on the network of {node} only: refused."
    else:
        told = f"The browser gets Jupyter's pages at http://localhost:{local}."
    works = told.startswith("The browser gets")
    return Route(
        works, told, at, target, asks, int(local) if local.isdecimal() else None, tuple(user for user, _ in hops), only,
        shared or bool(bind and bind[0] not in {*_HERE, ""}) or bind == [""],
    )  # fmt: skip


# Kubernetes' way of working, in small: a loop that compares what is wanted with what is there.


STARTS_AFTER = 2
"""Rounds that a pod needs from its making to its running."""


@dataclass(frozen=True)
class Pod:
    """One pod: its node, and the round in which it was made."""

    name: str
    node: str
    made: int


@dataclass(frozen=True)
class Round:
    """What was there at the end of one round.

    Attributes
    ----------
    wanted, running, starting : int
    told : tuple of str
        What happened, and what the loop did.
    """

    number: int
    wanted: int
    running: int
    starting: int
    told: tuple[str, ...]


def run_loop(
    nodes: Sequence[str], wanted: Mapping[int, int], failing: Mapping[int, str], rounds: int, *, room: int = 2
) -> list[Round]:
    """Let the loop do its work.

    Parameters
    ----------
    nodes : sequence of str
    wanted : mapping
        Number of pods from a round on.
    failing : mapping
        Node that fails in a round, and stays away.
    rounds : int
    room : int
        Pods that one node has room for.
    """
    pods: list[Pod] = []
    alive = list(nodes)
    history: list[Round] = []
    number = target = pending = 0
    for turn in range(rounds):
        told: list[str] = []
        if turn in wanted:
            target = wanted[turn]
            told.append(f"{target} are requested")
        if turn in failing:
            alive.remove(failing[turn])
            lost = [pod for pod in pods if pod.node == failing[turn]]
            pods = [pod for pod in pods if pod not in lost]
            told.append(f"{failing[turn]} fails, {len(lost)} pods are lost")
        ended, pods = pods[target:], pods[:target]
        told += [f"ends {', '.join(pod.name for pod in ended)}"] * bool(ended)
        made: list[Pod] = []
        while len(pods) < target:
            node = min(alive, key=lambda one: sum(pod.node == one for pod in pods), default=None)
            if node is None or sum(pod.node == node for pod in pods) >= room:
                break
            made.append(Pod(f"worker-{number}", node, turn))
            pods.append(made[-1])
            number += 1
        told += [f"makes {', '.join(f'{pod.name} on {pod.node}' for pod in made)}"] * bool(0 < len(made) <= 2)
        told += [f"makes {len(made)} pods"] * bool(len(made) > 2)
        if (waiting := target - len(pods)) != pending:
            told += [f"{waiting} pending, as no node has room"] * bool(waiting)
            pending = waiting
        running = sum(turn - pod.made >= STARTS_AFTER for pod in pods)
        history.append(Round(turn, target, running, len(pods) - running, tuple(told)))
    return history
