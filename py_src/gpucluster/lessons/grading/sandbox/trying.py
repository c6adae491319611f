"""Finding the best sandbox that works here: each is tried with a program that reaches for what it must not get."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ....operating_system import landlock
from ....operating_system.processes import namespaces_of
from ...catalogue import notebooks_folder, solutions
from ..grades import Protection
from ..job import Job, Kind, Limits, Sandboxing
from ..kernel.trial import BAIT
from . import bubblewrap, images
from .folder import Sandbox
from .kinds import beginning, end
from .protection import Unprotected, offered, refuse_too_little

Wanted = Literal["auto", "bubblewrap", "apptainer", "container", "landlock"]
_TRIAL = [sys.executable, "-P", "-s", "-m", "gpucluster.lessons.grading.runner.trial"]
_PATIENCE_S = 90.0
_BACKLOG = 8
_MUST_NOT = {
    "read": "can read a file that it must not see",
    "write": "can change a file of this account",
    "make": "can make files in a folder of this account",
    "network": "can reach the network",
    "abstract": "can connect to sockets without a path",
    "signal": "can see the processes of this account",
    "solutions": "can read the solutions",
}
_WITHOUT_A_FENCE = {"network"}
"""What Landlock alone does not keep from anybody; older versions of it neither what comes below."""
_SINCE_SCOPES = {"abstract", "signal"}


@dataclass(frozen=True)
class Tried:
    """A kind of sandbox, with why it cannot be used; empty when it can."""

    sandboxing: Sandboxing
    reason: str = ""
    protection: Protection | None = None

    def __str__(self) -> str:
        return f"{_name(self.sandboxing)}: {self.reason or 'works'}"


def choose(wanted: Wanted = "auto", image: str = "", *, say: Callable[[str], None] = lambda text: None) -> Tried:
    """Return the sandbox to grade in.

    Parameters
    ----------
    wanted : str, optional
        A kind, or ``"auto"`` for the best that works.
    image : str, optional
        Where Apptainer, Podman or Docker take the system from; they are not tried without one.
    say : callable, optional
        Told what is tried, and why what comes before the one that is taken cannot be.

    Raises
    ------
    Unprotected
        When the kind that was asked for does not work, or nothing does.
    """
    if wanted == "landlock":
        refuse_too_little(offered())
    failed = []
    for sandboxing in _candidates(wanted, image):
        say(f"Trying {_name(sandboxing)}")
        tried = try_out(sandboxing)
        if not tried.reason:
            return tried
        failed.append(str(tried))
    if wanted == "auto":
        refuse_too_little(offered())
    raise Unprotected(f"No such sandbox works here. {'. '.join(failed)}. To grade anyway, use --unprotected.")


def try_out(sandboxing: Sandboxing) -> Tried:
    """Begin a sandbox and let a program in it reach for what it must not get."""
    missing = _missing(sandboxing)
    if missing:
        return Tried(sandboxing, missing)
    with tempfile.TemporaryDirectory(prefix="gg") as name, tempfile.TemporaryDirectory(prefix="gb") as closed:
        sandbox = Sandbox(Path(name), secrets.token_hex(16), (Path(closed),))
        secret = Path(closed, "secret")
        secret.write_text("unchanged", encoding="utf-8")
        try:
            sandbox.prepare()
            with _listening() as bait:
                bait |= {"secret": str(secret), "pid": os.getpid(), "solutions": _solutions()}
                (sandbox.work / BAIT).write_text(json.dumps(bait), encoding="utf-8")
                answer = _answer(sandbox, sandboxing)
            found, protection = answer["found"], Protection.model_validate(answer["protection"])
        except subprocess.TimeoutExpired:
            return Tried(sandboxing, "it does not respond")
        except (OSError, ValueError, KeyError) as error:
            return Tried(sandboxing, str(error) or type(error).__name__)
        finally:
            end(sandbox, sandboxing)
    return Tried(sandboxing, _objection(sandboxing, found, protection), protection)


def _solutions() -> list[str]:
    """Return a file of each place with solutions: names may stay visible, content may not."""
    found = []
    for place in {notebooks_folder(), *solutions()}:
        files = [place] if place.is_file() else sorted(place.rglob("*.*"))
        found += [str(file.absolute()) for file in files if file.is_file()][:1]
    return found


def _candidates(wanted: Wanted, image: str) -> list[Sandboxing]:
    kinds: list[Kind] = list(get_args(Kind)) if wanted == "auto" else [wanted]
    found = []
    for kind in kinds:
        if kind == "bubblewrap":
            found += [Sandboxing(kind=kind, apart=True), Sandboxing(kind=kind)]
        elif kind == "landlock":
            found.append(Sandboxing())
        elif image or wanted != "auto":
            found.append(Sandboxing(kind=kind, image=image))
    return found


def _missing(sandboxing: Sandboxing) -> str:
    """What is not there at all."""
    if sandboxing.kind == "bubblewrap":
        return "" if bubblewrap.program() else "it is not installed (Debian: apt install bubblewrap)"
    if sandboxing.kind == "landlock":
        return ""
    program = images.apptainer() if sandboxing.kind == "apptainer" else images.engine()
    if program is None:
        return "it is not installed"
    return "" if sandboxing.image else "it needs an image: name one with --image"


def _answer(sandbox: Sandbox, sandboxing: Sandboxing) -> dict[str, Any]:
    begin = beginning(sandbox, sandboxing, Limits())
    job = Job(
        notebook=b"", learner="", lesson="", seed=0, limits=Limits(), places={}, sandboxing=sandboxing,
        closed_folders=list(sandbox.closed_folders), namespaces=namespaces_of(),
    )  # fmt: skip
    done = subprocess.run(
        [*begin.before, *_TRIAL], input=job.text(), env=begin.environment, cwd="/", capture_output=True,
        timeout=_PATIENCE_S, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        raise ValueError((done.stderr.strip().splitlines() or [f"it ends with {done.returncode}"])[-1][:300])
    return dict(json.loads(done.stdout))


def _objection(sandboxing: Sandboxing, found: dict[str, bool], protection: Protection) -> str:
    """Why a sandbox that began is not good enough."""
    if not found:
        return "nothing runs in it"
    if not found["loopback"]:
        return "it has no loopback interface, which clusters need"
    fenced = sandboxing.kind != "landlock"
    allowed = set() if fenced else _WITHOUT_A_FENCE | (_SINCE_SCOPES if landlock.version() < landlock.SCOPES else set())
    got = [text for name, text in _MUST_NOT.items() if found[name] and name not in allowed]
    if got:
        return f"a notebook in it {got[0]}"
    if fenced and not protection.fenced:
        return "it shares namespaces with this machine"
    try:
        refuse_too_little(protection)
    except Unprotected as error:
        return str(error)
    return ""


@contextmanager
def _listening() -> Iterator[dict[str, Any]]:
    """Two sockets of this process that must not be reachable from a sandbox."""
    abstract = f"gpucluster-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as server, socket.socket(socket.AF_UNIX) as unnamed:
        unnamed.bind(f"\0{abstract}")
        unnamed.listen(_BACKLOG)
        yield {"port": server.getsockname()[1], "abstract": abstract}


def _name(sandboxing: Sandboxing) -> str:
    if sandboxing.kind == "bubblewrap":
        return "bubblewrap" if sandboxing.apart else "bubblewrap, with kernel and runner in one sandbox"
    return "Landlock" if sandboxing.kind == "landlock" else f"{sandboxing.kind} {sandboxing.image}".strip()
