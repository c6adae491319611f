"""All rows come to the notebook."""

import dask.dataframe as dd


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"]).compute()
    joined = departed.merge(weather[["origin", "time_hour", "visib"]].compute(), on=["origin", "time_hour"])
    joined["fog"] = joined["visib"] < 3
    joined["score"] = (joined["dep_delay"] - joined["dep_delay"].mean()) / joined["dep_delay"].std()
    return dd.from_pandas(joined, npartitions=4).groupby(["origin", "fog"])["score"].agg(["count", "mean"])
