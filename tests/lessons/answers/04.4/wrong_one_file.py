"""Each task replaces what the others wrote."""

from pathlib import Path


def record(folder, number, line):
    (Path(folder) / "lines.txt").write_text(line)


def read_lines(folder):
    return (Path(folder) / "lines.txt").read_text().splitlines()
