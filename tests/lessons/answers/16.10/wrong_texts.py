"""Wrong: sizes are texts with units."""

plan = {
    "data_gb": "200 GB",
    "working_room": "3",
    "device_gb": "80 GB",
    "choice": "cluster",
    "devices": "8",
    "travels_gb": "0.5",
}
first = "A cluster of eight devices, because the working room fits no single one."
second = "A success if one pass over all rows takes less than 90 seconds."
note = f"{first}\n{second}"
