"""``gpucluster lease -- COMMAND``: run a command with its own workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from types import FrameType

from ..client.control import LEASE_VARIABLE, Control
from ..client.display.card import TerminalProgress, progress_line
from ..client.lease import Lease, leased_line, print_if_no_gpu
from ..client.stopping import how_it_ended, is_over, stopped_by
from ..client.waiting import IN_LINE
from ..protocol.errors import InvalidRequest
from ..protocol.models import ClusterModel, Network
from ..registry.record import Folder
from . import EXIT_INTERRUPTED, actions
from .arguments import shown

_LOOK_SECONDS = 2.0
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_leased(control: Control, found: Namespace, tell: actions.Tell | None) -> int:
    """Take workers, run the command, and release them; returns its exit code (128 + number after a signal)."""
    command: list[str] = found.command
    if shutil.which(command[0]) is None:
        raise InvalidRequest(f"'{shown(command[0])}' was not found, or you may not run it.")
    spec = actions.leased(control, found, tell)
    lease = Lease(spec, scope="command", timeout=actions.timeout_of(found), control=control.asynchronous)
    try:
        with TerminalProgress() as progress:
            model = lease.take(progress if progress.live else _PlaceInLine())
    except KeyboardInterrupt:
        print("Interrupted: nothing was leased, and the place in the queue was released.", file=sys.stderr)
        return EXIT_INTERRUPTED
    try:
        if sys.stderr.isatty():
            print(leased_line(model), file=sys.stderr)
        else:
            print_if_no_gpu(spec, model)
        registry = control.asynchronous.registry

        def print_end() -> bool:
            last = registry.find(model.id)
            if is_over(last):
                print(how_it_ended(last, stopped_by(registry, last)), file=sys.stderr, flush=True)
            return is_over(last)

        code = _Command(print_end).run(command, _environment(model, registry.folder(model.id)))
    finally:
        lease.end()
    return code


def _environment(model: ClusterModel, folder: Folder) -> dict[str, str]:
    """Return an environment in which clients of Dask and gpucluster find the cluster."""
    environment = {**os.environ, "DASK_SCHEDULER_ADDRESS": model.scheduler_address or "", LEASE_VARIABLE: model.id}
    if model.network is Network.TLS:
        # The path of the credentials is not secret: only this user can read them.
        names = {"CA_FILE": "ca.pem", "CLIENT__CERT": "cert.pem", "CLIENT__KEY": "key.pem"}
        environment |= {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(folder.tls / file) for name, file in names.items()}
    return environment


class _PlaceInLine:
    """Prints once that it waits in the queue, for output without a terminal: a file, a pipe."""

    def __init__(self) -> None:
        self._printed = False

    def __call__(self, model: ClusterModel) -> None:
        if not self._printed and model.progress is not None and model.progress.step in IN_LINE:
            self._printed = True
            print(progress_line(model), file=sys.stderr, flush=True)


class _Command:
    """A running command that receives the signals of this process."""

    def __init__(self, watch: Callable[[], bool]) -> None:
        self._watch = watch
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def run(self, command: Sequence[str], environment: dict[str, str]) -> int:
        before = {number: signal.getsignal(number) for number in _PASSED_ON}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # As under nohup, even for the command.
                signal.signal(number, self._pass_on)
        try:
            self._process = subprocess.Popen(list(command), env=environment)
            for early in self._early:
                self._process.send_signal(early)
            code = self._wait(self._process)
        except OSError as error:
            raise InvalidRequest(f"The command cannot be run: {error.strerror or error}.") from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return 128 - code if code < 0 else code

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        over = False
        while True:
            try:
                code = process.wait(None if over else _LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                over = self._watch()
                continue
            if not over:
                self._watch()
            return code

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._process is None:
            self._early.append(number)
        elif number != signal.SIGINT or not _is_in_foreground():
            self._process.send_signal(number)


def _is_in_foreground() -> bool:
    """Return whether the terminal itself sends Ctrl-C to the command, which must not get it twice."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
