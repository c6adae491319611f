"""The report of a long run, and the command that starts one by hand."""

import argparse
import json
import random
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn


@dataclass
class Report:
    seed: int
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Orphans, stuck entries, files and folders."""

    @property
    def passed(self) -> bool:
        return not self.failures and not self.left

    def as_json(self) -> dict[str, Any]:
        """Return it for a file."""
        return {**self.__dict__, "passed": self.passed}

    def end(self, out: Path | None, **more: Any) -> NoReturn:
        """Print it, write it with `more` into a file, and end this process."""
        print(json.dumps(self.as_json(), indent=1))
        if out is not None:
            out.write_text(json.dumps({**self.as_json(), **more}, indent=1) + "\n")
        sys.exit(0 if self.passed else 1)


def command(module: str, about: str | None) -> argparse.ArgumentParser:
    """Return the parser of ``python -m tests.endurance.MODULE``, with the options that all runs have."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.endurance.{module}", description=about)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--out", type=Path, help="where to write the report as JSON")
    return parser


def begin(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the options. From now on, Ctrl-C and SIGTERM end the run cleanly, even in the background of a shell."""
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    print(f"seed {options.seed}", flush=True)
    return options
