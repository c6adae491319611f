plan = {
    "data_gb": 10,
    "working_room": 3,
    "device_gb": 80,
    "choice": "one device",
    "devices": 1,
    "travels_gb": 0,
}
note = (
    "One device is enough: 30 GB with working room.\nIt is good when a fit takes under 60 s, as scikit-learn needs 400."
)
