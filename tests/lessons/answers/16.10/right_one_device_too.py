"""Right: small data on one device, nothing travels; floats, capital letter."""

plan = {
    "data_gb": 1.5,
    "working_room": 2.0,
    "device_gb": 8.0,
    "choice": "one device",
    "devices": 1,
    "travels_gb": 0.0,
}
first = "One device is enough: 3 GB of 8 with working room."
second = "Done when the nightly report is ready in 5 minutes."
note = f"{first}\n{second}"
