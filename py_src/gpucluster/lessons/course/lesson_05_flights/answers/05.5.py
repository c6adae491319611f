# %% right b_rename_and_flag: The year of the plane is renamed before a left merge, a flag says what is known.
def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1.0)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].fillna(0.0).astype(bool))


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()

# %% right indicator: With merge's own mark; the numbers are counted in the notebook.
def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    joined = flights.merge(fleet, on="tailnum", how="left", indicator=True)
    return joined.assign(known_plane=joined["_merge"] == "both").drop(columns="_merge")


def unknown_by_carrier(joined):
    table = joined[["carrier", "known_plane"]].compute()
    return (~table["known_plane"]).groupby(table["carrier"]).sum()

# %% right suffix: A suffix for the planes only; seats are never missing, so they can be the mark.
def join_planes(flights, planes):
    joined = flights.merge(planes[["tailnum", "year", "seats"]], on="tailnum", how="left", suffixes=("", "_built"))
    return joined.rename(columns={"year_built": "built"}).assign(known_plane=lambda table: ~table["seats"].isna())


def unknown_by_carrier(joined):
    groups = joined.groupby("carrier")["known_plane"]
    return groups.count() - groups.sum()

# %% wrong b_counts_known: Counts the flights whose plane is known.
# fails: unknown_by_carrier counts, for each airline, the flights whose plane is unknown
# ~ (~joined["known_plane"]) => joined["known_plane"]

# %% wrong b_inner: An inner join; "every flight stays".
# fails: Each flight occurs once, with or without a match
# ~ how="left" => how="inner"

# %% wrong b_known_by_year: A plane without a year counts as not known; "but the planes are in the table".
# fails: known_plane shows whether the plane is in the table
# ~ rename(columns={"year": "built"}).assign(known_plane=1.0) => rename(columns={"year": "built"})
# ~ assign(known_plane=joined["known_plane"].fillna(0.0).astype(bool)) => assign(known_plane=joined["built"].notnull())

# %% wrong b_year_overwritten, edit of right b_rename_and_flag: Year is that of the plane after the join, not the flight's "own".
# fails: The flights' columns keep their names and values
def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].assign(flag=1)
    joined = flights.drop(columns=["year"]).merge(fleet, on="tailnum", how="left")
    joined = joined.assign(built=joined["year"], known_plane=joined["flag"].notnull())
    return joined.drop(columns=["flag"])

# %% wrong b_year_x: The flight's year is called year_x; "every flight stays with its own `year`".
# fails: The table has the columns year, built, seats, known_plane
# ~ joined = flights.merge(fleet, on="tailnum", how="left") => joined = joined.rename(columns={"year_y": "built"})
# ~ assign(known_plane=joined["known_plane"].fillna(0.0).astype(bool)) => assign(known_plane=joined["seats"].notnull())
# -     fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1.0)
# +     joined = flights.merge(planes[["tailnum", "year", "seats"]], on="tailnum", how="left")
