"""Wrong: hints are asked for before the solution, so both together are with hints."""

_ORDER = ("not yet", "after the solution", "with hints", "alone")


def levels(objectives, exercises):
    def level(name):
        entry = exercises.get(name)
        if entry is None or entry["state"] != "passed":
            return 0
        if entry["hints"]:
            return 2
        return 1 if entry["solution_seen"] else 3

    return {goal: _ORDER[min(map(level, names), default=0)] for goal, names in objectives.items()}
