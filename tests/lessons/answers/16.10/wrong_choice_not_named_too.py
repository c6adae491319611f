"""Wrong: the first line does not name the choice."""

plan = {
    "data_gb": 200,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 8,
    "travels_gb": 0.5,
}
first = "We take what is there, because it is large."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
