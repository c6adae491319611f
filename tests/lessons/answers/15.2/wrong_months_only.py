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
    edges = [0, *(month for month, day in starts), 13]
    return [table[(table["month"] >= a) & (table["month"] < b)] for a, b in zip(edges, edges[1:], strict=False)]
