"""Wrong: a file for each line's words; two tasks may have the same words."""

import hashlib
from pathlib import Path


def record(folder, number, line):
    (Path(folder) / hashlib.sha256(line.encode()).hexdigest()).write_text(line)


def read_lines(folder):
    return [path.read_text() for path in Path(folder).iterdir()]
