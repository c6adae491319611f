# %% right b_concatenate: Short NumPy arrays, one per flight, joined at the end.
import numpy as np
import pandas as pd


def minutes_in_air(block):
    known = block.dropna(subset=["air_time"])
    lengths = known["air_time"].to_numpy().astype("int64")
    minute = np.concatenate([np.arange(0, dtype="int16")] + [np.arange(length, dtype="int16") for length in lengths])
    clock = np.repeat(known["departure"].to_numpy(dtype="int32"), lengths)
    clock += minute
    return pd.DataFrame(
        {"flight_row": np.repeat(known.index.to_numpy(dtype="int32"), lengths), "minute": minute, "clock": clock}
    )

# %% right explode: pandas' explode.
TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    rows = flown[["departure"]].assign(
        flight_row=flown.index, minute=[range(int(length)) for length in flown["air_time"]]
    )
    rows = rows.explode("minute", ignore_index=True)
    rows["clock"] = rows["departure"] + rows["minute"].astype("int32")
    return rows[["flight_row", "minute", "clock"]].astype(TYPES)

# %% right repeat_index: The rows of the table are repeated, and counted.
TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    rows = flown.loc[flown.index.repeat(flown["air_time"].astype(int)), ["departure"]]
    rows = rows.assign(minute=rows.groupby(level=0).cumcount(), flight_row=rows.index)
    rows = rows.assign(clock=rows["departure"] + rows["minute"])
    return rows[["flight_row", "minute", "clock"]].astype(TYPES).reset_index(drop=True)

# %% wrong b_changes_block: Fills the gaps in the block that it was given ("must not change its arguments").
# fails: Inputs are not modified
# -     known = block.dropna(subset=["air_time"])
# +     block["air_time"] = block["air_time"].fillna(0)
# +     known = block

# %% wrong b_columns_order: The columns are minute, clock, flight_row, not "in this order".
# fails: It returns a table with flight_row, minute and clock, in this order
# -         {"flight_row": np.repeat(known.index.to_numpy(dtype="int32"), lengths), "minute": minute, "clock": clock}
# +         {"minute": minute, "clock": clock, "flight_row": np.repeat(known.index.to_numpy(dtype="int32"), lengths)}

# %% wrong b_from_one: Minutes begin with 1; "0, 1, 2, … for each flight".
# fails: minute counts from 0 for each flight
# ~ length, dtype => 1, length + 1, dtype

# %% wrong b_gap_is_one_row: A flight without air_time gets one row; it "gets no rows".
# fails: There is one row per minute in the air
# ~ block.dropna(subset=["air_time"]) => block.fillna({"air_time": 1})

# %% wrong b_list_of_rows, edit of right b_concatenate: A Python list of rows, far more than 110 bytes per row.
# fails: It needs less than 110 bytes of memory per row of the result, at its worst moment
def minutes_in_air(block):
    rows = []
    for row, departure, air_time in zip(block.index, block["departure"], block["air_time"]):
        if air_time == air_time:
            for minute in range(int(air_time)):
                rows.append((row, minute, departure + minute))
    table = pd.DataFrame(rows, columns=["flight_row", "minute", "clock"])
    return table.astype({"flight_row": "int32", "minute": "int16", "clock": "int32"})

# %% wrong b_one_row_more: Also the minute of the landing, air_time + 1 rows ("one row for each minute … in the air").
# fails: There is one row per minute in the air
# ~ .astype("int64") => .astype("int64") + 1

# %% wrong b_place_not_index, edit of wrong b_one_row_more: Flight_row counts from 0 in each block; it is "its index in the block".
# fails: flight_row is the flight's index in the block
# ~ dropna(subset=["air_time"]) => dropna(subset=["air_time"]).reset_index(drop=True)
# ~ astype("int64") + 1 => astype("int64")

# %% wrong b_wide_types: All three columns are int64, not int32, int16 and int32.
# fails: The types are int32, int16 and int32: 10 bytes per row
# ~ 0, dtype="int16")] + [np.arange(length, dtype="int16" => 0)] + [np.arange(length
# ~ "].to_numpy(dtype="int32 => "].to_numpy("int64
# ~ dtype="int32" => "int64"

# %% wrong c_clock_begins_again: The clock begins again at 0 when the year ends.
# fails: clock is the departure minute plus minute, even past the end of the year
# ~ clock += minute => clock = (clock + minute) % (365 * 1440)

# %% wrong c_fails_without_flights: Fails for a block of which no flight was in the air: there is nothing to concatenate.
# fails: A block in which no flight was in the air gives an empty table: ValueError
# ~ (0, dtype="int16")] + [np.arange( => (
