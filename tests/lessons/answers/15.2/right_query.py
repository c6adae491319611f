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
    marked = table.assign(code=table["month"] * 31 + table["day"])
    numbers = [month * 31 + day for month, day in starts]
    columns = list(table.columns)
    found = [marked.query(f"code < {numbers[0]}")[columns]]
    for begin, end in zip(numbers, numbers[1:] + [10**6], strict=True):
        found.append(marked.query(f"{begin} <= code < {end}")[columns])
    return found
