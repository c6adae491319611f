"""Wrong: each exercise that was begun counts as passed."""

_ORDER = ("not yet", "after the solution", "with hints", "alone")


def levels(objectives, exercises):
    def level(name):
        entry = exercises.get(name)
        if entry is None:
            return 0
        if entry["solution_seen"]:
            return 1
        return 2 if entry["hints"] else 3

    return {goal: _ORDER[min(map(level, names), default=0)] for goal, names in objectives.items()}
