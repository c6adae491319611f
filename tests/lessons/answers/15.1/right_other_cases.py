charter = {
    "task": " Classification",
    "late_from": 30,
    "decide_before": 60,
    "share": 1 / 10,
    "figure": "Lift",
    "at_least": 3,
    "worst_month": 2.5,
}
tasks = {
    "late or not": "Classification",
    "minutes of delay": "regression",
    "kinds of weather": "clustering",
    "how many flights were cancelled": "No model",
    "groups of airports": "clustering",
    "which of five causes": "classification",
}
