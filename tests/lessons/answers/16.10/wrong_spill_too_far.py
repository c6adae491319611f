"""Wrong: spill, although 1.5 times the device is needed."""

plan = {
    "data_gb": 40,
    "working_room": 1.5,
    "device_gb": 40,
    "choice": "spill",
    "devices": 1,
    "travels_gb": 0.1,
}
first = "We spill, because the data nearly fit the device."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
