"""Wrong: always cuts on the first of August and the first of October, whatever starts says."""

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
    month = table["month"]
    return [table[month < 8], table[(month >= 8) & (month < 10)], table[month >= 10]]
