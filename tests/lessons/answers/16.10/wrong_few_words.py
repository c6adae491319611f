plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "cluster",
    "devices": 5,
    "travels_gb": 0.001,
}
note = "cluster\n20 s"
