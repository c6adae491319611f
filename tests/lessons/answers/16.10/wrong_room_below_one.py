"""Wrong: a working room of less than 1."""

plan = {
    "data_gb": 100,
    "working_room": 0.5,
    "device_gb": 80,
    "choice": "one device",
    "devices": 1,
    "travels_gb": 0,
}
first = "One device holds it if we squeeze all of it."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
