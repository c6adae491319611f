plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 5,
    "travels_gb": 0.001,
}
long = "which is large enough " * 6
note = f"A cluster of five devices {long}.\nA success if one pass takes less than 20 s."
