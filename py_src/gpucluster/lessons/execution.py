"""Executing a lesson's notebook in a fresh kernel of this Python environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError
from .lab import CLUSTER_VARIABLE
from .learner_progress import FOLDER_VARIABLE
from .results import LESSON_MIME

_KERNEL = "gpucluster-lesson"
_START = "lessons.start("


class LessonFailed(GPUClusterError):
    """A cell of the lesson raised an error or took too long."""

    code = "lesson_failed"


@dataclass
class ExecutedLesson:
    """A notebook after its run.

    Attributes
    ----------
    notebook : nbformat.NotebookNode
        With all outputs.
    seconds : float, optional
        Time of the whole run, the kernel's start included, where that was measured.
    """

    notebook: Any
    seconds: float | None = None

    @property
    def records(self) -> list[dict[str, Any]]:
        """What checks, predictions and reports left in the outputs."""
        outputs = [output for cell in self.notebook.cells for output in cell.get("outputs", ())]
        found = [output.get("data", {}).get(LESSON_MIME) for output in outputs]
        return [dict(record) for record in found if record is not None]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of one kind: ``"check"``, ``"report"`` or ``"prediction"``."""
        return [record for record in self.records if record["kind"] == kind]

    @property
    def errors(self) -> list[str]:
        """What cells raised, one line each, where the run went on after an error."""
        outputs = [output for cell in self.notebook.cells for output in cell.get("outputs", ())]
        return [_plain(one["ename"], one["evalue"]) for one in outputs if one["output_type"] == "error"]


def execute(
    notebook: Path,
    *,
    cluster: str | None = None,
    cell_timeout: float = 90,
    keep_going: bool = False,
    began: Callable[[int, str], None] | None = None,
) -> ExecutedLesson:
    """Execute a notebook.

    Parameters
    ----------
    notebook : pathlib.Path
        The file; it is not changed.
    cluster : str, optional
        Name or id of the cluster that the lesson is to use.
    cell_timeout : float, optional
        Seconds that one cell may take.
    keep_going : bool, optional
        Run the cells after one that raised an error too, unless it is the one that starts the lesson; see
        `ExecutedLesson.errors`.
    began : callable, optional
        Called as ``began(number, first_line)`` before each cell of code.

    Raises
    ------
    LessonFailed
        With the cell's error as a one-line message.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    try:
        book = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    except Exception:  # nbformat raises what it stumbles over
        raise LessonFailed(f"{notebook} cannot be read as a notebook.") from None
    if keep_going:
        for cell in book.cells:
            if cell.cell_type == "code" and _START not in cell.source:
                cell.metadata["tags"] = [*(cell.metadata.get("tags") or ()), "raises-exception"]
    environment = {**os.environ, **({CLUSTER_VARIABLE: cluster} if cluster else {})}
    start = time.monotonic()
    hooks: dict[str, Any] = {}
    if began is not None:
        hooks["on_cell_execute"] = lambda cell, cell_index: began(cell_index, cell.source.strip().partition("\n")[0])
    with tempfile.TemporaryDirectory() as folder, _kernel_of_this_python(Path(folder)) as manager:
        client = NotebookClient(
            book,
            km=manager,
            timeout=int(cell_timeout),
            resources={"metadata": {"path": folder}},
            **hooks,
        )
        environment[FOLDER_VARIABLE] = folder  # what happens here does not count as a learner's progress
        try:
            # Shuts the kernel down, whatever happens; its complaints about that are dropped.
            client.execute(env=environment, stderr=subprocess.DEVNULL, cleanup_kc=True)
        except CellExecutionError as error:
            raise LessonFailed(f"A cell of {notebook.name} failed: {_plain(error.ename, error.evalue)}") from error
        except (CellTimeoutError, DeadKernelError) as error:
            raise LessonFailed(f"A cell of {notebook.name} did not end: {str(error).splitlines()[0]}") from error
    return ExecutedLesson(book, time.monotonic() - start)


def _plain(name: str, message: str) -> str:
    """Return an error in one line."""
    return f"{name}: {' '.join(message.split())}"


@contextmanager
def _kernel_of_this_python(folder: Path) -> Iterator[Any]:
    """A kernel manager for this interpreter, whatever kernels this user has installed under the usual name."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    spec = folder / "kernels" / _KERNEL
    spec.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = json.dumps({"argv": argv, "display_name": _KERNEL, "language": "python"})
    (spec / "kernel.json").write_text(text, encoding="utf-8")
    specs = KernelSpecManager(kernel_dirs=[str(folder / "kernels")], ensure_native_kernel=False)
    # Sockets in a private folder: they use no port, and other users cannot connect.
    yield AsyncKernelManager(kernel_name=_KERNEL, kernel_spec_manager=specs, transport="ipc", ip=str(folder / "kernel"))
