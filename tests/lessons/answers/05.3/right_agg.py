"""With agg, after the cancelled flights are gone."""


def mean_delay(flights):
    departed = flights.dropna(subset=["dep_delay"])
    return departed.groupby("origin").agg({"dep_delay": "mean"})["dep_delay"]
