"""Right, but a Python list of rows takes far too much memory."""

import pandas as pd

TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    rows = []
    for row, departure, air_time in zip(block.index, block["departure"], block["air_time"], strict=True):
        if air_time == air_time:
            rows += [(row, minute, int(departure) + minute) for minute in range(int(air_time))]
    return pd.DataFrame(rows, columns=list(TYPES)).astype(TYPES)
