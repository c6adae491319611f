"""pandas' explode."""

TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    rows = flown[["departure"]].assign(
        flight_row=flown.index, minute=[range(int(length)) for length in flown["air_time"]]
    )
    rows = rows.explode("minute", ignore_index=True)
    rows["clock"] = rows["departure"] + rows["minute"].astype("int32")
    return rows[["flight_row", "minute", "clock"]].astype(TYPES)
