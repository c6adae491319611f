"""Another figure: the mean of the late flights only."""


def mean_delay(flights):
    return flights[flights["dep_delay"] > 0].groupby("origin")["dep_delay"].mean()
