import re


def facts(text):

    def after(label):
        found = re.search(re.escape(label) + r"\s*([^&<]*)", text)
        return found[1].strip() if found else ""

    def in_seconds(written):
        return float(re.findall(r"[\d.]+", written + " 0")[0])

    return {
        "seconds": in_seconds(after("Duration:")),
        "tasks": int(after("number of tasks:")),
        "compute": float(in_seconds(after("compute time:"))),
        "threads": int(after("Threads:")),
    }
