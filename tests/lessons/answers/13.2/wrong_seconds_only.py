"""Wrong: ignores the unit; 380.63 ms becomes 380.63 seconds."""

import re


def facts(text):
    compute = re.search(r"compute time: ([\d.]+)", text)
    return {
        "seconds": float(re.search(r"Duration: ([\d.]+)", text)[1]),
        "tasks": int(re.search(r"number of tasks: (\d+)", text)[1]),
        "compute": float(compute[1]) if compute else 0.0,
        "threads": int(re.search(r"Threads: (\d+)", text)[1]),
    }
