"""Wrong: fetches both tables by dask.compute and cuts the join again; "nothing is collected on the way"."""

import dask
import dask.dataframe as dd


def pipeline(flights, weather):
    [departed, hours] = dask.compute(flights.dropna(subset=["dep_delay"]), weather[["origin", "time_hour", "visib"]])
    joined = departed.merge(hours, on=["origin", "time_hour"])
    table = dd.from_pandas(joined, npartitions=4)
    table = table.assign(fog=table["visib"] < 3)
    score = (table["dep_delay"] - table["dep_delay"].mean()) / table["dep_delay"].std()
    return table.assign(score=score).groupby(["origin", "fog"])["score"].agg(["count", "mean"])
