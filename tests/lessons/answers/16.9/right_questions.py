"""Right: one question after the other over all exercises of an objective."""


def levels(objectives, exercises):
    result = {}
    for goal, names in objectives.items():
        entries = [exercises.get(name, {}) for name in names]
        if not entries or any(entry.get("state") != "passed" for entry in entries):
            result[goal] = "not yet"
        elif any(entry.get("solution_seen") for entry in entries):
            result[goal] = "after the solution"
        elif any(entry.get("hints") for entry in entries):
            result[goal] = "with hints"
        else:
            result[goal] = "alone"
    return result
