"""Wrong: the bounds of the year and of the months are swapped."""

charter = {
    "task": "classification",
    "late_from": 30,
    "decide_before": 60,
    "share": 0.1,
    "figure": "lift",
    "at_least": 2.5,
    "worst_month": 3,
}
tasks = {
    "late or not": "classification",
    "minutes of delay": "regression",
    "kinds of weather": "clustering",
    "how many flights were cancelled": "no model",
    "groups of airports": "clustering",
    "which of five causes": "classification",
}
