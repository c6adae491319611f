plan = {
    "data_gb": -120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 2,
    "travels_gb": 0.001,
}
note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."
