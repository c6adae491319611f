"""Right: pandas reads the times; all numbers are floats."""

import re

import pandas as pd


def facts(text):
    head = text[text.index("Duration:") :]
    found = {}
    for name, label in {
        "seconds": "Duration",
        "tasks": "number of tasks",
        "compute": "compute time",
        "threads": "Threads",
    }.items():
        match = re.search(label + r": ([^&<]*?)\s*(?:&lt;|<)", head.split("Calling Code")[0])
        if match is None:
            found[name] = 0.0
        elif name in ("tasks", "threads"):
            found[name] = float(match.group(1))
        else:
            value = match.group(1).replace("d", "days").replace("hr", "hours")
            value = re.sub(r"(\d)m( |$)", r"\1min\2", value)
            found[name] = pd.Timedelta(value).total_seconds() if "us" not in value else float(value.split()[0]) / 1e6
    return found
