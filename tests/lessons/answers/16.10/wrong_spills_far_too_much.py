plan = {
    "data_gb": 120,
    "working_room": 3,
    "device_gb": 80,
    "choice": "spill",
    "devices": 1,
    "travels_gb": 0.001,
}
note = "We spill what does not fit here.\nA success if one pass takes less than 20 s."
