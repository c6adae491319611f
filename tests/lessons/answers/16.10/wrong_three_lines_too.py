"""Wrong: the note has three lines."""

plan = {
    "data_gb": 200,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 8,
    "travels_gb": 0.5,
}
first = "A cluster of eight devices, because the working room fits no single one."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
note = note + "\nAnd a third line that nobody asked for."
