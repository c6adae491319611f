"""Random operations on clusters: by Python, by REST and in a shell."""

import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gpucluster
import httpx
from distributed import TimeoutError as DaskTimeout
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.models import ClusterModel, ClusterState

from tests.conftest import until

from .place import Place

MOST_LIVING = 4
"""Clusters at a time; the site allows one more, so that refusals occur."""
LIMIT_SECONDS = 240.0
"""The longest duration of any operation, even while processes are killed."""
REFUSED = {403, 404, 409, 422, 503}
"""Answers with a reason why something is not done."""

WEIGHTS = {
    "create": 14, "scale": 14, "adapt": 6, "retire": 6, "restart": 5, "stop": 9, "remove": 7, "compute": 12,
    "record": 5, "look": 12, "list": 10,
}  # fmt: skip
"""The frequencies of the operations."""


class Failure(Exception):
    """An operation ended in a way that is not allowed."""


class People:
    """Operations of one user by one face ("python", "rest" or "shell"), drawn from a seed.

    Each method is one operation: it returns the outcome or raises ``Failure``.
    """

    def __init__(self, place: Place, face: str, seed: int) -> None:
        self._place = place
        self._face = face
        self._random = random.Random(f"{seed}-{face}")
        self._made = 0

    def draw(self) -> tuple[str, Callable[[], str]]:
        """Return the name of the next operation and its method."""
        living = sum(not model.state.ended for model in self._place.control.list())
        weights = dict(WEIGHTS)
        if living == 0:
            weights["create"] *= 5
        elif living >= MOST_LIVING:
            weights["create"] = 2
        name = self._random.choices(list(weights), list(weights.values()))[0]
        return name, getattr(self, name)

    # -- operations ------------------------------------------------------------------------------

    def create(self) -> str:
        self._made += 1
        name = f"{self._face}-{self._made}" if self._random.random() < 0.9 else "same"
        workers, idle = self._random.randint(0, 2), self._random.choice((None, 20, 600))
        wait = self._random.random() < 0.5
        spec = {
            "backend": "local", "name": name, "n_workers": workers, "memory_limit": "300 MiB",
            "idle_timeout_seconds": idle,
        }  # fmt: skip
        words = [
            "--backend", "local", "--name", name, "-n", str(workers), "--memory-limit", "300 MiB",
            "--idle-timeout-seconds", str(idle or "none"),
        ]  # fmt: skip
        return self._do(
            lambda: gpucluster.create(**spec, wait=wait, timeout=60),
            ("POST", "clusters", spec),
            ("create", *words, *_flags(wait), "--timeout", "60"),
        )

    def scale(self) -> str:
        number, wait, name = self._random.randint(0, 3), self._random.random() < 0.5, self._some()
        return self._do(
            lambda: gpucluster.connect(name).scale(number, wait=wait, timeout=40),
            ("PATCH", f"clusters/{name}", {"n_workers": number}),
            ("scale", *_flags(wait), "--timeout", "40", name, str(number)),
        )

    def adapt(self) -> str:
        least, most, name = self._random.randint(0, 1), self._random.randint(1, 3), self._some()
        return self._do(
            lambda: gpucluster.connect(name).adapt(least, most),
            ("PATCH", f"clusters/{name}", {"adapt": {"minimum": least, "maximum": most}}),
            ("adapt", name, str(least), str(most)),
        )

    def retire(self) -> str:
        model = self._chosen()
        worker = self._random.choice(model.workers).name if model is not None and model.workers else "0"
        id = model.id if model is not None else "none"
        return self._do(
            lambda: self._place.control.retire(id, worker, wait=False),
            ("POST", f"clusters/{id}/workers/{worker}/retire"),
            ("retire", "--no-wait", id, worker),
        )

    def restart(self) -> str:
        name = self._some()
        return self._do(
            lambda: self._place.control.restart(name, wait=False),
            ("POST", f"clusters/{name}/restart"),
            ("restart", "--timeout", "40", name),
        )

    def stop(self) -> str:
        wait, name = self._random.random() < 0.5, self._some()
        return self._do(
            lambda: self._place.control.stop(name, wait=wait),
            ("DELETE", f"clusters/{name}"),
            ("stop", *_flags(wait), name),
        )

    def remove(self) -> str:
        name = self._some(ended=True)
        return self._do(lambda: self._place.control.remove(name), ("DELETE", f"clusters/{name}"), ("remove", name))

    def compute(self) -> str:
        """Connect and compute; workers may be killed, so only a wrong result is a failure."""
        numbers = list(range(self._random.randint(2, 30)))
        running = [model for model in self._place.control.list() if model.state is ClusterState.RUNNING]
        name = self._random.choice(running).id if running else "unknown"

        def job() -> str:
            with gpucluster.connect(name).get_client(timeout=20) as client:
                # Sent by value: a cluster made elsewhere cannot import these tests.
                squares = client.map(lambda number: number * number, numbers, pure=False)
                total = client.submit(sum, squares)
                try:
                    result = total.result(15)
                except (DaskTimeout, TimeoutError):
                    return "no result in time"
                if result != sum(number * number for number in numbers):
                    raise Failure(f"the sum of squares below {len(numbers)} came out as {result}")
            return "done"

        return self._python(job, computes=True)

    def record(self) -> str:
        id = self._some()
        file = self._place.folder / f"{self._face}-{self._random.randrange(10**9)}.gpucluster.jsonl.gz"
        if self._face == "rest":
            if self._random.random() < 0.4:
                return self._rest("DELETE", f"clusters/{id}/recording")
            return self._rest("POST", f"clusters/{id}/recording")
        if self._face == "shell":
            return self._shell("record", "--seconds", "2", id, str(file))

        def job() -> None:
            self._place.control.begin_recording(id, file)
            if self._random.random() < 0.7:
                self._place.control.end_recording(id)

        return self._python(job)

    def look(self) -> str:
        id, what = self._some(), self._random.choice(("logs", "activity", "history", "status"))
        return self._do(
            lambda: getattr(self._place.control, "get" if what == "status" else what)(id),
            ("GET", f"clusters/{id}" + ("" if what == "status" else f"/{what}")),
            ("status" if what == "history" else what, id),
        )

    def list(self) -> str:
        """The list always answers."""
        if self._face == "rest":
            return self._rest("GET", "clusters", refusals=set())
        if self._face == "python":
            self._place.control.list()
            return "done"
        return self._shell("list", "--json", codes={0})

    # -- ways ------------------------------------------------------------------------------------

    def _chosen(self, *, ended: bool = False) -> ClusterModel | None:
        models = [model for model in self._place.control.list() if model.state.ended is ended]
        return self._random.choice(models) if models else None

    def _some(self, *, ended: bool = False) -> str:
        model = self._chosen(ended=ended)
        return "unknown" if model is None else self._random.choice((model.id, model.name))

    def _do(self, job: Callable[[], Any], request: tuple[Any, ...], words: tuple[str, ...]) -> str:
        """Do something by the face of this user: in Python, by REST or in a shell."""
        if self._face == "python":
            return self._python(job)
        return self._rest(*request) if self._face == "rest" else self._shell(*words)

    def _python(self, job: Callable[[], Any], *, computes: bool = False) -> str:
        try:
            result = job()
        except GPUClusterError as error:
            if not error.message.endswith((".", "!", "?")) or "Traceback" in error.message:
                raise Failure(f"no sentence: {error.message!r}") from error
            return f"refused: {type(error).__name__}"
        except Failure:
            raise
        except Exception as error:
            # Dask may raise anything where its scheduler or workers are killed during a computation.
            if computes:
                return f"broken off: {type(error).__name__}"
            raise
        return result if isinstance(result, str) else "done"

    def _rest(self, method: str, path: str, body: Any = None, refusals: set[int] = REFUSED) -> str:
        jupyter = until(lambda: self._place.jupyter, timeout=LIMIT_SECONDS, what="no Jupyter server")
        try:
            code, answer = jupyter.answer(method, path, body, timeout=LIMIT_SECONDS)
        except httpx.TimeoutException as error:
            raise Failure(f"{method} {path} was not answered within {LIMIT_SECONDS:.0f} s") from error
        except (httpx.TransportError, RuntimeError):
            self._place.wait_for_jupyter(jupyter, LIMIT_SECONDS)
            return "server killed"
        if code >= 400 and (code not in refusals or "message" not in answer):
            raise Failure(f"{method} {path}: HTTP {code} {answer}")
        return "done" if code < 400 else f"refused: {answer.get('code')}"

    def _shell(self, *words: str, codes: set[int] = frozenset({0, 2, 3, 4, 5, 6})) -> str:  # type: ignore[assignment]
        command = [sys.executable, "-m", "gpucluster.cli", *words]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"'gpucluster {' '.join(words)}' had not ended after {LIMIT_SECONDS:.0f} s") from error
        if ended.returncode not in codes or "Traceback" in ended.stderr:
            raise Failure(f"'gpucluster {' '.join(words)}' ended with {ended.returncode}: {ended.stderr[-1500:]}")
        return "done" if ended.returncode == 0 else f"refused: exit {ended.returncode}"


def _flags(wait: bool) -> list[str]:
    return [] if wait else ["--no-wait"]
