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
    date = table["month"] * 100 + table["day"]
    table = table.reset_index(drop=True) if not hasattr(table, "dask") else table.compute().reset_index(drop=True)
    date = (table["month"] * 100 + table["day"]).to_numpy()
    places = [0, *(int((date < month * 100 + day).sum()) for month, day in starts), len(table)]
    return [table.iloc[a:b] for a, b in zip(places, places[1:], strict=False)]
