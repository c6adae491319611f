"""Wrong: two runs of a task at the same time write beside under one name; one moves it away from the other."""

import os
from pathlib import Path


def record(folder, number, line):
    beside = Path(folder) / f"{number}.new"
    beside.write_text(line)
    os.rename(beside, Path(folder) / f"{number}.txt")


def read_lines(folder):
    return [path.read_text() for path in Path(folder).glob("*.txt")]
