"""Wrong: np.asarray fetches the whole column without the word compute; "nothing is collected on the way"."""

import numpy as np


def pipeline(flights, weather):
    hours = weather[["origin", "time_hour", "visib"]]
    table = flights.dropna(subset=["dep_delay"]).merge(hours, on=["origin", "time_hour"])
    table = table.assign(fog=table["visib"] < 3)
    delay = np.asarray(table["dep_delay"])
    score = (table["dep_delay"] - delay.mean()) / delay.std(ddof=1)
    return table.assign(score=score).groupby(["origin", "fog"])["score"].agg(["count", "mean"])
