"""Wrong: a solution that was seen gives its level even if the exercise has not passed."""

_ORDER = ("not yet", "after the solution", "with hints", "alone")


def levels(objectives, exercises):
    def level(name):
        entry = exercises.get(name)
        if entry is not None and entry["solution_seen"]:
            return 1
        if entry is None or entry["state"] != "passed":
            return 0
        return 2 if entry["hints"] else 3

    return {goal: _ORDER[min(map(level, names), default=0)] for goal, names in objectives.items()}
