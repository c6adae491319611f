"""Wrong: fails with an error where the report has no line for the compute time."""

import re

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 3600, "d": 86400}


def facts(text):
    def seconds(label):
        value = re.search(label + r": ([^&]+)", text)[1]
        return sum(float(n) * UNITS[unit] for n, unit in re.findall(r"([\d.]+)\s*([a-z]+)", value))

    return {
        "seconds": seconds("Duration"),
        "tasks": int(re.search(r"number of tasks: (\d+)", text)[1]),
        "compute": seconds("compute time"),
        "threads": int(re.search(r"Threads: (\d+)", text)[1]),
    }
