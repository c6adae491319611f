"""Wrong: the file is named by the words, so two tasks with the same words share one."""

import hashlib
from pathlib import Path


def record(folder, number, line):
    name = hashlib.sha256(line.encode()).hexdigest()[:16]
    (Path(folder) / f"{name}.txt").write_text(line)


def read_lines(folder):
    return [path.read_text() for path in sorted(Path(folder).glob("*.txt"))]
