"""Wrong: whoever finds the file believes that its line is in it."""

from pathlib import Path


def record(folder, number, line):
    try:
        file = open(Path(folder) / f"{number}.txt", "x", encoding="utf-8")
    except FileExistsError:
        return
    with file:
        file.write(line)


def read_lines(folder):
    return [path.read_text(encoding="utf-8") for path in Path(folder).glob("*.txt")]
