"""What a kind of cluster needs to be there before anybody can ask for one, as data: commands, packages, files.

It costs no more than a few looks into folders, so that it can be asked wherever a form is drawn; nothing is started and
nobody is asked. What only the start can find out, its preflight says.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True)
class Needs:
    """What must be there, each with the words for its absence."""

    commands: tuple[str, ...] = ()
    """All of these on the PATH."""
    variables: tuple[str, ...] = ()
    """One of these in the environment, as those of an allocation."""
    packages: tuple[str, ...] = ()
    """All of these modules in the Python environment."""
    extra: str = ""
    """The extra of gpucluster that brings the packages."""
    absent: str = ""
    """What is not there then, as a sentence without its full stop: 'There is no Slurm here'."""
    advice: str = ""
    """What to do, in a sentence."""

    def missing(self, *, packages: bool = True) -> str | None:
        """Return what is not there, in a sentence or two with what to do; ``None``: nothing is missing.

        Parameters
        ----------
        packages : bool
            Whether to look for packages, which the cluster's own Python environment needs.
        """
        for command in self.commands:
            if shutil.which(command) is None:
                return self._sentence(f"the command '{command}' is not on the PATH")
        if self.variables and not any(os.environ.get(name) for name in self.variables):
            return self._sentence(f"{' and '.join(self.variables)} are not set")
        for package in self.packages if packages else ():
            if find_spec(package) is None:
                what = f"'gpucluster[{self.extra}]'" if self.extra else package
                return f"It needs a package that is not installed: pip install {what}."
        return None

    def _sentence(self, why: str) -> str:
        return f"{self.absent or 'It cannot be used here'}: {why}." + (f" {self.advice}" if self.advice else "")
