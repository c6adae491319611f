# %% right normalised_at_the_end: The mean is linear: normalise the few results instead of all rows.
def pipeline(flights, weather):
    columns = ["origin", "time_hour", "dep_delay"]
    joined = flights[columns].dropna().merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    delay = joined["dep_delay"]
    groups = joined.assign(fog=joined["visib"] < 3).groupby(["origin", "fog"])["dep_delay"].agg(["count", "mean"])
    return groups.assign(mean=(groups["mean"] - delay.mean()) / delay.std())

# %% right step_by_step: With names for the steps.
def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"], how="inner")
    joined["fog"] = joined["visib"] < 3
    delay = joined["dep_delay"]
    joined["score"] = (delay - delay.mean()) / delay.std()
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])

# %% wrong b_answer_computed, edit of the solution: The answer is an ordinary table; "the same result, lazy".
# fails: Its code gathers nothing on the way: no compute, to_pandas or similar
# ~ .agg(["count", "mean"]) => .agg(["count", "mean"]).compute()

# %% wrong b_before_the_join: Mean and deviation of all departed flights, including those without weather; "the same result".
# fails: mean is the mean normalised delay
# ~ delay = joined["dep_delay"] => delay = flights["dep_delay"]

# %% wrong b_both_fetched: Fetches both tables by dask.compute and cuts the join again; "nothing is collected on the way".
# fails: Its code gathers nothing on the way: no compute, to_pandas or similar
# -     joined = flights[columns].dropna().merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
# +     departed, hours = dask.compute(flights[columns].dropna(), weather[["origin", "time_hour", "visib"]])
# +     joined = dd.from_pandas(departed.merge(hours, on=["origin", "time_hour"]), npartitions=4)
import dask
import dask.dataframe as dd

# %% wrong b_left_join, edit of the solution: Keeps flights without weather (a left join), they count as no fog; "the same result".
# fails: count is the number of departed flights with known weather
# ~ on=["origin", "time_hour"]) => on=["origin", "time_hour"], how="left")

# %% wrong b_numbers_computed: Computes mean and deviation on the way; "nothing is collected on the way".
# fails: Its code gathers nothing on the way: no compute, to_pandas or similar
# ~ delay.mean()) / delay.std() => delay.mean().compute()) / delay.std().compute()

# %% wrong b_only_mean, edit of the solution: The mean only; "count and mean of the normalised delay".
# fails: The result has the columns count and mean
# ~ ["count", "mean"] => ["mean"]
