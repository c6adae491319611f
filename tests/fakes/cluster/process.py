"""Simulated clusters as separate processes, for tests and benchmarks."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]


@contextmanager
def simulated_cluster(*options: str, environment: dict[str, str] | None = None) -> Iterator[str]:
    """Run a simulated cluster within a ``with`` block; yields its id after all workers have connected.

    `options`: as on the command line, such as ``"--workers", "8", "--gpus"``. `environment`: default: this process's.
    """
    with simulated_clusters([options], environment=environment) as (id,):
        yield id


@contextmanager
def simulated_clusters(
    clusters: Sequence[Sequence[str]], *, environment: dict[str, str] | None = None
) -> Iterator[list[str]]:
    """Run several at once; yields their ids. `clusters`: the options of each."""
    with ExitStack() as stack:
        command = [sys.executable, "-m", "tests.fakes.cluster"]
        processes = [
            stack.enter_context(
                subprocess.Popen([*command, *options], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
            )
            for options in clusters
        ]
        try:
            yield [_first_word(process) for process in processes]
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()


def _first_word(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    first = process.stdout.readline().split()
    assert first, "the simulation ended before it ran; its output says why"
    return first[0]
