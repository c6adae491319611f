# %% right kits_rule
from gpucluster.lessons.study.certificate import level_of


def levels(objectives, exercises):
    return {text: level_of([exercises.get(number) for number in ids]) for text, ids in objectives.items()}

# %% right minimum: Numbers for levels and their minimum.
_ORDER = ("not yet", "after the solution", "with hints", "alone")


def levels(objectives, exercises):
    def level(name):
        entry = exercises.get(name)
        if entry is None or entry["state"] != "passed":
            return 0
        if entry["solution_seen"]:
            return 1
        return 2 if entry["hints"] else 3

    return {goal: _ORDER[min(map(level, names), default=0)] for goal, names in objectives.items()}

# %% right questions_in_turn
def levels(objectives, exercises):
    def one(ids):
        found = [exercises.get(i, {}) for i in ids]
        if not found or not all(f.get("state") == "passed" for f in found):
            return "not yet"
        if any(f["solution_seen"] for f in found):
            return "after the solution"
        return "with hints" if any(f["hints"] for f in found) else "alone"

    return {text: one(ids) for text, ids in objectives.items()}

# %% wrong alphabet, edit of right minimum: The lowest level by the alphabet.
# fails: An objective has the lowest level among its exercises
# ~ _ORDER[min(map(level, names), default=0)] => min((_ORDER[level(n)] for n in names), default="not yet")

# %% wrong attempts, edit of right minimum: Counts more than one attempt as help.
# fails: Passed without help is 'alone'
# ~ entry["hints"] else 3 => entry["hints"] or entry["attempts"] > 1 else 3

# %% wrong attempts_are_help, edit of right minimum
# fails: Many attempts are no help of others
# ~ entry["hints"] else 3 => entry["hints"] or entry["attempts"] > 3 else 3

# %% wrong empty_missing, edit of right minimum: Objectives without exercises are not in the result.
# fails: An objective without exercises is 'not yet': nothing shows it
# ~ () => () if names

# %% wrong failed_counts, edit of right minimum
# fails: A failed exercise is 'not yet', even with the solution read
# ~ entry["state"] != "passed" => entry["state"] == "not_yet"

# %% wrong first_level_word, edit of right minimum
# fails: Each level is one of the four
# ~ "after the solution" => "solution"

# %% wrong hints_before_solution, edit of right minimum: Hints are asked for before the solution, so both together are with hints.
# fails: A solution that was read outweighs hints
# ~ solution_seen => hints
# ~ return 1 => return 2
# ~ return 2 if entry["hints"] => return 1 if entry["solution_seen"]

# %% wrong only_all_hints, edit of right minimum
# fails: One hint makes it 'with hints'
# ~ entry["hints"] else 3 => entry["hints"] == 3 else 3
