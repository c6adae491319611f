"""Wrong: asks for month and day each, so that the 1st of March is before the 15th of February."""

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
        later = (rest["month"] >= month) & (rest["day"] >= day)
        parts.append(rest[~later])
        rest = rest[later]
    return [*parts, rest]
