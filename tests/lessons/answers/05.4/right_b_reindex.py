"""Right: no merge, a lookup in an index of two levels for each partition."""

import pandas as pd


def join_weather(flights, weather):
    table = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].compute().set_index(["origin", "time_hour"])

    def look_up(part):
        wanted = pd.MultiIndex.from_frame(part[["origin", "time_hour"]])
        places = table.index.get_indexer(wanted)
        found = table.take(places.clip(min=0))
        new = {name: found[name].where(places >= 0).to_numpy() for name in table.columns}
        return part.assign(**new, has_weather=places >= 0)

    return flights.map_partitions(look_up)


no_weather = dict(flights=1556, after_the_end=932)
