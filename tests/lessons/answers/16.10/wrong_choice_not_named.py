plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 5,
    "travels_gb": 0.001,
}
note = "Five devices: 360 GB with the working room.\nA success if one pass takes less than 20 s."
