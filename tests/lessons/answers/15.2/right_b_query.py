"""Right: a text for query for each part."""

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
    tests = [f"(month > {month} or (month == {month} and day >= {day}))" for month, day in starts]
    froms = ["month > 0", *tests]
    untils = [*(f"not {test}" for test in tests), "month > 0"]
    return [table.query(f"{first} and {last}") for first, last in zip(froms, untils)]
