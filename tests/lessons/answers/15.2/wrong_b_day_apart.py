"""Wrong: compares month and day apart, so the 5th of November is not after the 10th of October."""

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
    parts, rest = [], table
    for month, day in starts:
        after = (rest["month"] >= month) & (rest["day"] >= day)
        parts.append(rest[~after])
        rest = rest[after]
    return [*parts, rest]
