import re


def facts(text):
    units = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "hr": 3600.0, "d": 86400.0}

    def after(label):
        found = re.search(re.escape(label) + r"\s*([^&<]*)", text)
        return found[1].strip() if found else ""

    def in_seconds(written):
        return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)\s*([a-z]+)", written))

    return {
        "seconds": in_seconds(after("Duration:")),
        "tasks": int(after("number of tasks:")),
        "compute": in_seconds(after("compute time:")) / int(after("Threads:")),
        "threads": int(after("Threads:")),
    }
