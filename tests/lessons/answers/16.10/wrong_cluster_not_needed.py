"""Wrong: a cluster, although one device holds everything."""

plan = {
    "data_gb": 2,
    "working_room": 2,
    "device_gb": 16,
    "choice": "cluster",
    "devices": 2,
    "travels_gb": 0.1,
}
first = "A cluster of two, because two are better than one."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
