"""Right: just above the border of spilling, two devices; a number with an exponent, a percent in the second line."""

plan = {
    "data_gb": 30,
    "working_room": 1,
    "device_gb": 20,
    "choice": "cluster",
    "devices": 2,
    "travels_gb": 0.0003,
}
first = "cluster: thirty GB never fit into twenty, two do"
second = "it is good if 95 % of queries end within a second"
note = f"{first}\n{second}"
