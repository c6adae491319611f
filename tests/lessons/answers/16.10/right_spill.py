plan = {
    "data_gb": 45,
    "working_room": 2,
    "device_gb": 80,
    "choice": "Spill",
    "devices": 1,
    "travels_gb": 0.5,
}
note = "We let the device spill: 90 GB with working room on 80.\nGood if it takes at most 3 times as long as in memory."
