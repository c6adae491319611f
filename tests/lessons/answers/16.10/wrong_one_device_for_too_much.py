plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "one device",
    "devices": 1,
    "travels_gb": 0.001,
}
note = "One device is what we have got.\nA success if one pass takes less than 20 s."
