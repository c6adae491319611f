"""Signals at random moments to the processes of clusters and to the Jupyter server."""

import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress

import psutil

from .place import Place

KINDS = ("worker", "nanny or fork server", "supervisor", "standby", "jupyter")
_WEIGHTS = (8, 3, 5, 2, 2)
END_SECONDS = 120.0
_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)


class Attacker(threading.Thread):
    """Sends signals to processes at random moments until it is ended.

    A stopped process is continued after a moment, like after the sleep of a laptop. `seconds`: between two signals, on
    average.
    """

    def __init__(self, place: Place, seed: int, seconds: float) -> None:
        super().__init__(name="attacker", daemon=True)
        self._place = place
        self._random = random.Random(f"{seed}-attacker")
        self._seconds = seconds
        self._over = threading.Event()
        self._stopped: list[tuple[float, psutil.Process]] = []
        self.sent: Counter[str] = Counter()
        self.slow: list[str] = []
        """Messages about processes that did not end in time."""

    def run(self) -> None:
        while not self._over.wait(self._random.uniform(0.2, 1.8) * self._seconds):
            self._continue(time.monotonic())
            kind = self._random.choices(KINDS, _WEIGHTS)[0]
            number = self._random.choice(_SIGNALS)
            found = self._of(kind)
            if not found:
                continue
            process = self._random.choice(found)
            with suppress(psutil.Error):
                process.send_signal(number)
                self.sent[f"{number.name} {kind}"] += 1
            if number is signal.SIGSTOP:
                self._stopped.append((time.monotonic() + self._random.uniform(0.1, 8.0), process))
            elif kind == "jupyter":
                self._continue(float("inf"))  # A stopped process would never end.
                try:
                    process.wait(END_SECONDS)
                except psutil.TimeoutExpired:
                    self.slow.append(f"Jupyter had not ended {END_SECONDS:.0f} s after {number.name}")
                self._place.start_jupyter()
        self._continue(float("inf"))

    def end(self) -> None:
        """Send no more signals, and continue everything."""
        self._over.set()
        self.join(120)

    def _continue(self, now: float) -> None:
        for due in [due for due in self._stopped if due[0] <= now]:
            self._stopped.remove(due)
            with suppress(psutil.Error):
                due[1].send_signal(signal.SIGCONT)

    def _of(self, kind: str) -> list[psutil.Process]:
        jupyter = self._place.jupyter
        if kind == "jupyter":
            return [psutil.Process(jupyter.process.pid)] if jupyter and jupyter.process.poll() is None else []
        if kind == "standby":
            return [psutil.Process(pid) for pid in self._place.standby_pids()]
        living = [model for model in self._place.control.list() if not model.state.ended]
        supervisors = {model.pid for model in living if model.pid}
        workers = {worker.pid for model in living for worker in model.workers if worker.pid}
        found = []
        for process in self._place.of_clusters():
            of = "supervisor" if process.pid in supervisors else "worker" if process.pid in workers else ""
            if of == kind or (not of and kind == "nanny or fork server"):
                found.append(process)
        return found
