"""Wrong: share is 10 (percent), but it goes from 0 to 1."""

charter = {
    "task": "classification",
    "late_from": 30,
    "decide_before": 60,
    "share": 10,
    "figure": "lift",
    "at_least": 3,
    "worst_month": 2.5,
}
tasks = {
    "late or not": "classification",
    "minutes of delay": "regression",
    "kinds of weather": "clustering",
    "how many flights were cancelled": "no model",
    "groups of airports": "clustering",
    "which of five causes": "classification",
}
