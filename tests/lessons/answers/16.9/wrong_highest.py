"""Wrong: the highest level and not the lowest."""

_ORDER = ("not yet", "after the solution", "with hints", "alone")


def levels(objectives, exercises):
    def level(name):
        entry = exercises.get(name)
        if entry is None or entry["state"] != "passed":
            return 0
        if entry["solution_seen"]:
            return 1
        return 2 if entry["hints"] else 3

    return {goal: _ORDER[max(map(level, names), default=0)] for goal, names in objectives.items()}
