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
        before = (rest["month"] < month) | ((rest["month"] == month) & (rest["day"] < day))
        parts.append(rest[before])
        rest = rest[~before]
    return tuple(parts + [rest])
