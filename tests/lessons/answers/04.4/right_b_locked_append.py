"""Right: appends number and line as JSON under a lock; the reader keeps one line per number."""

import fcntl
import json
import os


def record(folder, number, line):
    with open(os.path.join(folder, "journal.jsonl"), "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(json.dumps([number, line]) + "\n")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_UN)


def read_lines(folder):
    try:
        with open(os.path.join(folder, "journal.jsonl"), encoding="utf-8") as file:
            return list({number: line for number, line in map(json.loads, file)}.values())
    except FileNotFoundError:
        return []
