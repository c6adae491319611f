"""Cancelled flights count as punctual."""


def mean_delay(flights):
    return flights.fillna({"dep_delay": 0}).groupby("origin")["dep_delay"].mean()
