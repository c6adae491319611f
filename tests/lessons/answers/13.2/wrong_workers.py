"""Wrong: the number of workers in place of the number of threads."""

import re

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 3600, "d": 86400}


def facts(text):
    def seconds(label):
        value = re.search(label + r": ([^&]+)", text)
        return (
            sum((float(n) * UNITS[u] for n, u in re.findall(r"([\d.]+)\s*([a-z]+)", value[1])), 0.0) if value else 0.0
        )

    return {
        "seconds": seconds("Duration"),
        "tasks": int(re.search(r"number of tasks: (\d+)", text)[1]),
        "compute": seconds("compute time"),
        "threads": int(re.search(r"Workers: (\d+)", text)[1]),
    }
