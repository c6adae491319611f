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
    edges = [(0, 0), *starts, (13, 0)]
    parts = []
    for (m, d), (n, e) in zip(edges, edges[1:], strict=False):
        after = (table["month"] >= m) & (table["day"] >= d)
        parts.append(table[after & ((table["month"] < n) | (table["day"] < e))])
    return parts
