"""Right: the number of a part is the number of dates that are not after the row."""

known = {
    "carrier": "timetable",
    "dest": "timetable",
    "distance": "timetable",
    "hour": "timetable",
    "sched_arr_time": "timetable",
    "dep_time": "departure",
    "dep_delay": "departure",
    "arr_time": "arrival",
    "arr_delay": "arrival",
    "air_time": "arrival",
}


def split(table, starts):
    month, day = table["month"], table["day"]
    part = month * 0
    for m, d in starts:
        part = part + ((month > m) | (month.eq(m) & day.ge(d))).astype("int64")
    return [table.loc[part == number] for number in range(len(starts) + 1)]
