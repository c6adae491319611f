plan = {
    "data_gb": 10,
    "working_room": 3,
    "device_gb": 80,
    "choice": "one device",
    "devices": 3,
    "travels_gb": 0.001,
}
note = "One device is enough: 30 GB with working room.\nGood when a fit takes under 60 s."
