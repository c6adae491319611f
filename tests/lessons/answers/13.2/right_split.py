"""No regular expression: cut behind the label, and before the next sign."""

SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "hr": 3600, "d": 86400}


def behind(text, label):
    if label not in text:
        return None
    return text.split(label, 1)[1].split("&lt;", 1)[0].strip()


def seconds(words):
    if words is None:
        return 0.0
    total = 0.0
    pieces = words.split(" ")
    if len(pieces) == 2 and pieces[1] in SECONDS:
        return float(pieces[0]) * SECONDS[pieces[1]]
    for piece in pieces:
        unit = piece.lstrip("0123456789.")
        total += float(piece[: -len(unit)]) * SECONDS[unit]
    return total


def facts(text):
    return {
        "seconds": seconds(behind(text, "Duration:")),
        "tasks": int(behind(text, "number of tasks:")),
        "compute": seconds(behind(text, "compute time:")),
        "threads": int(behind(text, "Threads:")),
    }
