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
    table = table.assign(date=table["month"] * 100 + table["day"])
    edges = [0, *(month * 100 + day for month, day in starts), 9999]
    return [table[(table["date"] >= a) & (table["date"] < b)] for a, b in zip(edges, edges[1:], strict=False)]
