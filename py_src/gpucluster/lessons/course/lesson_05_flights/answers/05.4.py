# %% right indicator: With merge's own mark.
COLUMNS = ["origin", "time_hour", "temp", "wind_speed", "visib"]


def join_weather(flights, weather):
    joined = flights.merge(weather[COLUMNS], on=["origin", "time_hour"], how="left", indicator="partner")
    return joined.assign(has_weather=joined["partner"] == "both").drop(columns=["partner"])


no_weather = {"flights": 1556, "after_the_end": 932}

# %% right map_partitions: pandas merge in each partition, weather computed.
def join(part, w):
    out = part.merge(w, on=["origin", "time_hour"], how="left")
    out["has_weather"] = out["has_weather"].notna()
    return out


def join_weather(flights, weather):
    w = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].compute().assign(has_weather=1.0)
    return flights.map_partitions(join, w)


no_weather = {"flights": 1556, "after_the_end": 932}

# %% right small_table_computed: The small table is fetched first; the flights stay lazy.
def join_weather(flights, weather):
    hours = weather.compute()[["origin", "time_hour", "temp", "wind_speed", "visib"]]
    joined = flights.merge(hours.assign(has_weather=True), on=["origin", "time_hour"], how="left")
    joined["has_weather"] = joined["has_weather"].notnull()
    return joined


no_weather = {"flights": 1556, "after_the_end": 932}

# %% right suffixes: The weather keeps all its columns; those of the flights keep their names.
def join_weather(flights, weather):
    marked = weather.assign(partner=weather["origin"])
    joined = flights.merge(marked, on=["origin", "time_hour"], how="left", suffixes=("", "_weather"))
    return joined.assign(has_weather=~joined["partner"].isna())


no_weather = {"flights": 1556, "after_the_end": 932}

# %% wrong all_after_the_end: Every gap is explained by the end of the table.
# fails: no_weather['after_the_end'] is how many of them left after the last hour
# ~ "after_the_end": 932 => "after_the_end": 1556

# %% wrong b_any_value: A row of the weather in which something is missing is dropped first, so its flights have none ("a missing value is not a missing row").
# fails: temp is that of the airport and hour of departure
# ~ weather[COLUMNS] => weather[COLUMNS].dropna()

# %% wrong b_counts_temperature: No_weather counts the flights without a temperature, 1,573 ("how many flights have no weather").
# fails: no_weather['flights'] is the number of flights in the year whose hour has no row
# ~ "flights": 1556 => "flights": 1573

# %% wrong b_flag_with_gaps: Has_weather is True or missing, never False ("True or False").
# fails: has_weather is True or False for each flight
# ~ joined["partner"] == "both" => (joined["partner"] == "both").where(joined["partner"] == "both")

# %% wrong b_inner: An inner join; "every flight stays".
# fails: Each flight occurs once, with or without a match
# ~ how="left" => how="inner"

# %% wrong b_temperature: Asks for the temperature; "a missing value is not a missing row".
# fails: has_weather shows whether there is a row for that hour
# ~ joined["partner"] == "both" => ~joined["temp"].isna()

# %% wrong flights_computed: All is fetched, and made lazy again.
# fails: The flights are not computed inside
# ~ flights.merge(weather[COLUMNS] => dd.from_pandas(flights.compute(), npartitions=2).merge(weather[COLUMNS]
import dask.dataframe as dd

# %% wrong names_collide: The columns of the flights get other names.
# fails: The table has the columns year, month, day, dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time, arr_delay, carrier, flight, tailnum, origin, dest, air_time, distance, hour, minute, time_hour
# ~ weather[COLUMNS] => weather
