# %% right b_plain, edit of the solution: Whole numbers where the letter has whole numbers.
# ~ "at_least": 3.0, => "at_least": 3,

# %% right other_cases
# ~ "task": "classification", => "task": " Classification",
# ~ "share": 0.1, => "share": 1 / 10,
# ~ "figure": "lift", => "figure": "Lift",
# ~ "late or not": "classification", => "late or not": "Classification",
# ~ "how many flights were cancelled": "no model", => "how many flights were cancelled": "No model",

# %% right plain, edit of the solution

# %% wrong accuracy, edit of the solution
# fails: "figure" matches the letter
# ~ "figure": "lift", => "figure": "accuracy",

# %% wrong b_bounds_swapped: The bounds of the year and of the months are swapped.
# fails: "at_least" matches the letter
# ~ "at_least": 3 => "at_least": 2.5
# ~ "worst_month": 2.5 => "worst_month": 3

# %% wrong b_causes_clustered: Five causes are given labels, so this is classification and not clustering.
# fails: Each question has the right kind of task
# ~ "which of five causes": "classification", => "which of five causes": "clustering",

# %% wrong b_fifteen: Late from 15 minutes on, as authorities count, but the letter says half an hour.
# fails: "late_from" matches the letter
# ~ "late_from": 30, => "late_from": 15,

# %% wrong b_hours: Decide_before is in hours, not in minutes.
# fails: "decide_before" matches the letter
# ~ "decide_before": 60, => "decide_before": 1,

# %% wrong b_month_is_year: A single month needs two and a half, not three.
# fails: "worst_month" matches the letter
# ~ "worst_month": 2.5, => "worst_month": 3,

# %% wrong b_percent: Share is 10 (percent), but it goes from 0 to 1.
# fails: "share" matches the letter
# ~ "share": 0.1, => "share": 10,

# %% wrong b_regression: The letter does not need to know how many minutes, so it is no regression.
# fails: "task" matches the letter
# ~ "task": "classification", => "task": "regression",

# %% wrong supervised, edit of the solution
# fails: Each word is one of classification, regression, clustering, no model
# ~ "late or not": "classification", => "late or not": "supervised",

# %% wrong true_is_one
# fails: "at_least" matches the letter
# ~ "at_least": 3 => "at_least": True
