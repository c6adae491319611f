# %% right b_renamed_merge: The small table gets the names of the answer, then one left merge; the report is lazy.
def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()

# %% right two_keys: left_on and right_on; value_counts.
# ~ faa": "dest", "name => name
# ~ on="dest", how="left" => left_on="dest", right_on="faa", how="left").drop(columns="faa"
# ~ [joined["dest_name"].isna()].groupby("dest").size => .loc[joined["dest_name"].isna(), "dest"].value_counts

# %% wrong all_destinations: All destinations are counted.
# fails: unknown_destinations counts the flights to each airport that is not in the table
# ~ joined[joined["dest_name"].isna()] => joined

# %% wrong b_by_origin: Counts by the airport of departure, not "by its code" of the destination.
# fails: unknown_destinations counts the flights to each airport that is not in the table
# ~ groupby("dest") => groupby("origin")

# %% wrong b_faa_and_name: The name stays `name`, and dest_name is the code, not the name.
# fails: dest_name is the name of the destination
# -     places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
# -     return flights.merge(places, on="dest", how="left")
# +     places = airports[["faa", "name", "lat", "lon"]].assign(dest=airports["faa"])
# +     joined = flights.merge(places, on="dest", how="left")
# +     return joined.rename(columns={"faa": "dest_name"}).drop(columns=["name"])

# %% wrong b_flights_computed: The flights are fetched and joined in the notebook; "the flights, lazily".
# fails: It returns a lazy Dask table or column
# ~ places = airports[["faa", "name", "lat", "lon"]] => places = airports.compute()[["faa", "name", "lat", "lon"]]
# ~ flights.merge => flights.compute().merge

# %% wrong b_four_known: The four codes of this year are written down, other tables have others ("each destination that is not in `airports`").
# fails: unknown_destinations counts the flights to each airport that is not in the table
# ~ joined[joined["dest_name"].isna()].groupby => joined[joined["dest"].isin(["BQN", "PSE", "SJU", "STT"])].groupby

# %% wrong b_inner: An inner join; "every flight stays".
# fails: Each flight occurs once, with or without a match
# ~ merge(places, on="dest", how="left") => merge(places, on="dest")

# %% wrong b_one_number: One number for all; asked is "the number of flights to each destination".
# fails: It is a column with one number per name
# ~ joined[joined["dest_name"].isna()].groupby("dest").size() => joined["dest_name"].isna().sum()

# %% wrong b_origin: Joins the airport of departure; asked is that "of its destination".
# fails: lat is that of the destination
# ~ ": "dest", " => ": "origin", "
# ~ flights.merge(places, on="dest", how="left") => flights.merge(places, on="origin", how="left")
