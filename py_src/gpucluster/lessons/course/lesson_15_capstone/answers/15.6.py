import numpy as np

# %% right b_operators: A table of operators; what cannot be compared counts as not a number.
import operator


TESTS = {"at_least": operator.ge, "at_most": operator.le}


def passes(criterion, value):
    if value is None or isinstance(value, str) or not np.isscalar(value) or value != value:
        return False
    return all(test(value, criterion[bound]) for bound, test in TESTS.items() if bound in criterion)


def gate(criteria, figures):
    failed = list(
        filter(
            lambda name: name is not None,
            (
                None if passes(criterion, figures.get(criterion["figure"])) else criterion["figure"]
                for criterion in criteria
            ),
        )
    )
    return ["go", "go back"][len(failed) > 0], failed

# %% right clip
def gate(criteria, figures):
    failed = []
    for one in criteria:
        try:
            value = float(figures[one["figure"]])
        except KeyError:
            value = float("nan")
        inside = np.clip(value, one.get("at_least"), one.get("at_most"))
        if inside != value:  # NaN is not equal to itself
            failed.append(one["figure"])
    return ("go back" if len(failed) > 0 else "go"), failed

# %% right conditions
import math


def gate(criteria, figures):
    reasons = []
    for criterion in criteria:
        name = criterion["figure"]
        if name not in figures or math.isnan(figures[name]):
            reasons.append(name)
            continue
        low = "at_least" in criterion and figures[name] < criterion["at_least"]
        high = "at_most" in criterion and figures[name] > criterion["at_most"]
        if low or high:
            reasons.append(name)
    return ("go back", reasons) if reasons else ("go", [])

# %% right met
def met(one, value):
    return one.get("at_least", -np.inf) <= value <= one.get("at_most", np.inf)


def gate(criteria, figures):
    failed = tuple(one["figure"] for one in criteria if not met(one, figures.get(one["figure"], np.nan)))
    return ["go" if not failed else "go back", failed]

# %% wrong always_go
# fails: A figure that is outside its bounds is a reason to go back
def gate(criteria, figures):
    return "go", []

# %% wrong b_truth, edit of the solution: Returns True or False instead of go or go back.
# fails: The decision is "go" or "go back"
# ~ return ("go back" if failed else "go"), failed => return not failed, failed

# %% wrong b_zero_bound, edit of the solution: A bound of 0 counts as no bound, because 0 is false.
# fails: A figure that is outside its bounds is a reason to go back
# -         if not (value >= one.get("at_least", float("-inf")) and value <= one.get("at_most", float("inf"))):
# +         if not (value >= (one.get("at_least") or float("-inf")) and value <= (one.get("at_most") or float("inf"))):

# %% wrong bounds_are_open, edit of the solution
# fails: If all criteria are met, even exactly, it returns go, without a reason
# ~ value >= one.get("at_least", float("-inf")) and value <= => value > one.get("at_least", float("-inf")) and value <

# %% wrong first_reason_only, edit of the solution
# fails: The reasons are all unmet criteria, in order, and no others
# ~ failed.append(one["figure"]) => return "go back", [one["figure"]]

# %% wrong missing_is_zero, edit of the solution
# fails: The reasons are all unmet criteria, in order, and no others
# ~ float("nan") => 0

# %% wrong nan_passes, edit of the solution
# fails: The reasons are all unmet criteria, in order, and no others
# -         if not (value >= one.get("at_least", float("-inf")) and value <= one.get("at_most", float("inf"))):
# +         if one["figure"] not in figures or value < one.get("at_least", value) or value > one.get("at_most", value):

# %% wrong one_is_enough, edit of the solution
# fails: A figure that is not there is a reason to go back
# fails: A figure that is outside its bounds is a reason to go back
# fails: A figure that is not a number is a reason to go back
# ~ go back" if failed else "go => go" if len(failed) < len(criteria) else "go back

# %% wrong sorted_reasons, edit of the solution
# fails: The reasons are all unmet criteria, in order, and no others
# ~ return ("go back" if failed else "go"), failed => return ("go back" if failed else "go"), sorted(failed)

# %% wrong tolerance, edit of the solution: What is outside by a thousandth passes.
# fails: A figure that is outside its bounds is a reason to go back
# ~ and value <= one.get("at_most", float("inf")) => - 1e-3 and value <= one.get("at_most", float("inf")) + 1e-3

# %% wrong zero_is_missing, edit of the solution: `or` takes a figure of 0 for one that is not there.
# fails: If all criteria are met, even exactly, it returns go, without a reason
# ~ get(one["figure"], float("nan")) => get(one["figure"]) or float("nan")
