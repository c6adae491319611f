"""Right: spill at exactly 1.25 times the device; choice in the middle of the line."""

plan = {
    "data_gb": 20,
    "working_room": 2.5,
    "device_gb": 40,
    "choice": "spill",
    "devices": 1,
    "travels_gb": 0.01,
}
first = "We let the device spill, because 50 GB exceed its 40 only by a quarter."
second = "Success means at most 1.5 times the seconds of half the data."
note = f"{first}\n{second}"
