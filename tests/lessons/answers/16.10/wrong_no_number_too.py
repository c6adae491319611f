"""Wrong: the second line has no number."""

plan = {
    "data_gb": 200,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 8,
    "travels_gb": 0.5,
}
first = "A cluster of eight devices, because the working room fits no single one."
second = "A success if it is much faster than before."
note = f"{first}\n{second}"
