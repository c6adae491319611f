plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 5,
    "travels_gb": 0.001,
}
note = "A cluster of five devices in one room.\nA success if it takes 20 s.\nAnd one more line about it."
