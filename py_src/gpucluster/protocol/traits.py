"""Differences between kinds of clusters as data, so that no code depends on a kind's name."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from pydantic import Field

from .telemetry import WireModel


@dataclass(frozen=True)
class Needs:
    """Requirements of a kind, with the messages for their absence."""

    commands: tuple[str, ...] = ()  # All of these on the PATH.
    variables: tuple[str, ...] = ()  # One of these in the environment, as those of an allocation.
    packages: tuple[str, ...] = ()  # All of these modules in the Python environment.
    extra: str = ""  # The extra of gpucluster that brings the packages.
    absent: str = ""  # What is missing, as a sentence without its full stop: 'Slurm is not available here'.
    advice: str = ""  # A sentence.

    def missing(self, *, packages: bool = True) -> str | None:
        """Return what is missing, with advice; ``None``: nothing. `packages`: whether to check those in this Python."""
        return next(self._missing(packages), (None, None))[0]

    def lack(self, *, packages: bool = True) -> str | None:
        """Return the same in a few words, for a list to choose from."""
        return next(self._missing(packages), (None, None))[1]

    def _missing(self, packages: bool) -> Iterator[tuple[str, str]]:
        for command in self.commands:
            if shutil.which(command) is None:
                yield self._sentence(f"the command '{command}' is not on the PATH"), f"{command} not found"
        if self.variables and not any(os.environ.get(name) for name in self.variables):
            yield self._sentence(f"{' and '.join(self.variables)} are not set"), f"{self.variables[0]} not set"
        for package in self.packages if packages else ():
            if find_spec(package) is None:
                what = f"'gpucluster[{self.extra}]'" if self.extra else package
                yield f"It needs a package that is not installed: pip install {what}.", f"package {package} missing"

    def _sentence(self, why: str) -> str:
        return f"{self.absent or 'It cannot be used here'}: {why}." + (f" {self.advice}" if self.advice else "")


class Traits(WireModel):
    """Properties of a kind of cluster."""

    has_gpus: bool = Field(False, description="Whether each of its workers has a GPU.")
    needs_host_check: bool = Field(False, description="Whether GPUs on the machine that starts it decide on its start.")
    this_machine: bool = Field(True, description="Whether its workers run on the machine that starts it.")
    queues: bool = Field(False, description="Whether workers may wait in a queue before they start.")
    chooses: tuple[str, ...] = Field((), description="Kinds that it chooses from when it starts.")
    default_workers: int | None = Field(
        None,
        description="Maximum number of workers if none is requested; null if the kind determines it, such as from the "
        "GPUs.",
    )
