# ---
# jupyter:
#   gpucluster:
#     lesson: "15"
#     title: "Capstone: which weather delays New York?"
#     minutes: 180
#     needs: cpu
#     topics:
#       charter: {title: From a request to a criterion, link: "15#letter"}
#       leakage: {title: What is known when, link: "15#leakage"}
#       regimes: {title: Groups that stay the same, link: "15#regimes"}
#       boosting: {title: Boosted trees by sums, link: "15#boosting"}
#       gate: {title: Judge by the criterion, link: "15#gate"}
#       drift: {title: Watch what has been deployed, link: "15#drift"}
#       serving: {title: From a model to a service, link: "15#serving"}
#       unchanged: {title: Zero-code-change accelerators, link: "15#unchanged"}
#     objectives:
#       - turn a request into a criterion that can fail
#       - build features, each of which was known when the decision was made
#       - find groups in data and prove that they are not chance
#       - train boosted trees on a cluster, and explain what is sent
#       - decide by the criterion, and go back when it is not met
#       - write scores that survive a crash, and notice when the world has changed
#       - publish a model so that an inference server can load it
#       - predict what a zero-code-change accelerator copies
# ---

# %% [markdown]
# # Capstone: which weather delays New York?
#
# **180 minutes** in three parts of an hour (60 of reading, 120 of writing), or homework · you need: lessons 05 (tables), 06 and 07 (k-means, PCA),
# 08 (estimators). Lesson 04 (tasks that run twice) helps in section 9.
#
# One project, from a letter to a monitored service. After this lesson, you can
#
# * **turn** a request into a criterion that can fail;
# * **build** features, each of which was known when the decision was made;
# * **find** groups in data, and **prove** that they are not chance;
# * **train** boosted trees on a cluster, and **explain** what is sent;
# * **decide** by the criterion, and **go back** when it is not met;
# * **write** scores that survive a crash, and **notice** when the world has changed;
# * **publish** a model so that an inference server can load it;
# * **predict** what a zero-code-change accelerator copies.
#
# | Part | Sections | Exercises |
# |---|---|---|
# | first: question and data | 1 to 4 | 15.1 to 15.4 |
# | second: models and the decision | 5 to 7 | 15.5 to 15.7 |
# | third: a service, and faster | 8 to 11 | 15.8 to 15.11 |
#
# `check("15.1", …)` checks an answer, `hint("15.1")` gives the next of three hints, and `solution("15.1")` shows a solution.
# Unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("15")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they do</summary>
#
# | here | without our helper |
# |---|---|
# | `datasets.flights()` | `dd.read_parquet(file)`; with `as_frame="pandas"`, `pd.read_parquet(file)` |
# | `as_pandas(table)` | `table.compute()`, followed by `.to_pandas()` if the blocks are not pandas tables |
# | `as_numpy(value)` | nothing if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. For small results only |
# | `np.asarray(x, like=block)` | this is plain NumPy: it makes an array of the same library as `block`. In a program for NumPy blocks only, `np.asarray(x)` |
# | `ready("…", f)` | only our lessons need it: prints a message and returns False until you have written `f` |
# | `lessons.continue_with("15.2")` | only our lessons have it: our version of an exercise that you skip, for the cells after it |
#
# </details>

# %% tags=["run"]
import itertools
import json
import os
import tempfile
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd

from gpucluster import datasets, learn
from gpucluster.lessons import banner, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import capstone as figures
from gpucluster.lessons.material.boosting import boost
from gpucluster.lessons.material.conversion import as_numpy, as_pandas
from gpucluster.lessons.material.modelprogram import PROGRAM
from gpucluster.lessons.material.modelrepository import problems
from gpucluster.lessons.probes.accelerator import accelerators, run_unchanged
from gpucluster.lessons.simulations.fallback import Accelerated
from gpucluster.lessons.simulations.inferenceserver import StandIn

workspace = tempfile.TemporaryDirectory(prefix="capstone-")  # a folder for your files, gone at the end
home = Path(workspace.name)

# %% [markdown] anchor="circle"
# ## 1. Six phases, and a way back
#
# Data projects have a well-known plan: **CRISP-DM**, the *cross-industry standard process for data mining*. Its six
# phases form a circle, and its most important arrows point back.

# %% tags=["run"]
figures.journey([])

# %% [markdown]
# | Phase | Its question | Here |
# |---|---|---|
# | 1 business understanding | what must be decided, and when is it good enough? | a letter, 15.1 |
# | 2 data understanding | what data is there, and what is missing? | lesson 05 |
# | 3 data preparation | what may the model see? | 15.2, 15.3 |
# | 4 modelling | which method finds it? | 15.4, 15.7 |
# | 5 evaluation | is the criterion of phase 1 met? | 15.5, 15.6 |
# | 6 deployment | how does it run every day, and who notices when it goes wrong? | 15.8 to 15.10 |
#
# Slides on deep learning name four steps: recognize a suitable problem, determine the data, choose an algorithm,
# train it on a lot of data. These steps do not ask what is good enough, and nothing comes after training. Phases 1, 5
# and 6 are missing, and most projects fail in them.

# %% [markdown] anchor="letter"
# ## 2. Phase 1: a letter
#
# > "Every day too many passengers at New York's airports learn only at the gate that they will have to wait. We want to warn them **an hour before the
# > departure in the timetable**. Warnings cost us money, so warn for **one flight in ten**, not more. Half an hour of delay at
# > departure or more is late. I do not need to know how many minutes. If a flight that you name is **three times as often** late as flights
# > are in general, we will buy it. And it must not fall below two and a half in any single month, or the staff will stop believing it. Today they simply
# > name the evening flights. And tell me **which weather** it is!"
#
# The **lift** of the list is the share of late flights on the list, divided by their share among all flights.

# %% [markdown] exercise="15.1" title="A letter as data" topic="charter"
# ### Exercise 15.1 · A letter as data (8 min)
#
# 1. Fill in `charter`. `task` is one of `"classification"`, `"regression"`, `"clustering"`, `"no model"`; `figure` is
#    the name of the figure that the letter uses; the others are numbers: `late_from` and `decide_before` in minutes, `share` from 0 to 1, `at_least` for the year,
#    `worst_month` for each month.
# 2. Give the kind of each question in `tasks`. Classification and regression are *supervised*: they learn from known
#    answers. Clustering is *unsupervised*: there are no answers. A question that one line of counting can answer
#    needs no model.

# %% tags=["exercise"] exercise="15.1"
charter = {
    "task": "classification",  # SOLUTION
    "late_from": 30,  # SOLUTION
    "decide_before": 60,  # SOLUTION
    "share": 0.1,  # SOLUTION
    "figure": "lift",  # SOLUTION
    "at_least": 3.0,  # SOLUTION
    "worst_month": 2.5,  # SOLUTION
}
tasks = {
    "late or not": "classification",  # SOLUTION
    "minutes of delay": "regression",  # SOLUTION
    "kinds of weather": "clustering",  # SOLUTION
    "how many flights were cancelled": "no model",  # SOLUTION
    "groups of airports": "clustering",  # SOLUTION
    "which of five causes": "classification",  # SOLUTION
}

# %% tags=["check"] exercise="15.1"
check("15.1", charter, tasks)

# %% [markdown] tags=["hint-1"] exercise="15.1"
# Read the letter again and underline each number. "I do not need to know how many minutes" decides the task.

# %% [markdown] tags=["hint-2"] exercise="15.1"
# One flight in ten is a share of 0.1. Three times applies to all flights, two and a half to each month. Five known
# causes are classes; kinds that have no names yet are clusters.

# %% [markdown] tags=["hint-3"] exercise="15.1"
# The task is `"classification"` (late or not), the figure is `"lift"`. Minutes are a number: regression. For cancelled flights, counting is enough.

# %% [markdown]
# The letter sets two things that no model can decide: a **figure that can fail**, and a **baseline**: what is done
# today. "As accurate as possible" is neither. (Accuracy would mislead: "never late" is right for 85 flights in 100, and warns no one.)

# %% [markdown] anchor="leakage"
# ## 3. Phase 3: what was known an hour before?
#
# You know these tables from lesson 05. Here is its audit in one line each.

# %% tags=["run"]
flights, weather = datasets.flights(), datasets.weather()
display(banner("flights"))
missing = as_pandas(weather[["temp", "humid", "wind_speed", "wind_gust", "visib", "pressure"]].isna().sum())
print(f"weather: {len(weather):,} hours at three airports; missing:", {name: int(count) for name, count in missing.items()})
print("cancelled, so without a delay:", int(flights["dep_delay"].isna().sum().compute()))

# %% [markdown]
# A model that sees what was not yet known looks excellent in the notebook and is useless at the gate. This is **leakage**. It has three sources:
#
# 1. a *column* that is filled in later (`air_time`);
# 2. a *row* from the future: training and testing on flights of the same day, with the same weather and the same queue;
# 3. a *time stamp* that is not what it seems. The weather record for 14:00 to 15:00 is complete at 15:00. For a
#    flight at 15:20 we decide at 14:20. The last complete hour is **13:00** to 14:00, **two hours before** the
#    flight's own.

# %% [markdown] exercise="15.2" title="Three doors" topic="leakage"
# ### Exercise 15.2 · Known when, and parts by date (12 min)
#
# 1. `known`: when does each column become known? `"timetable"` (long before), `"departure"` or `"arrival"`.
# 2. `split(table, starts)`: split a table into parts by date. `starts` is a sorted list of `(month, day)`: the start
#    of the second part, of the third, and so on. The first part is everything before the first date. The rows may be
#    in any order. Return a list of tables, one more than there are dates. A lazy table gives lazy parts; nothing is
#    computed.

# %% tags=["exercise"] exercise="15.2"
known = {
    "carrier": "timetable",  # SOLUTION
    "dest": "timetable",  # SOLUTION
    "distance": "timetable",  # SOLUTION
    "hour": "timetable",  # SOLUTION
    "sched_arr_time": "timetable",  # SOLUTION
    "dep_time": "departure",  # SOLUTION
    "dep_delay": "departure",  # SOLUTION
    "arr_time": "arrival",  # SOLUTION
    "arr_delay": "arrival",  # SOLUTION
    "air_time": "arrival",  # SOLUTION
}


def split(table, starts):
    """Return the parts of a table with the columns month and day, in the order of their dates."""
    ### BEGIN SOLUTION
    date = table["month"] * 100 + table["day"]
    edges = [0, *(month * 100 + day for month, day in starts), 9999]
    return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:])]
    ### END SOLUTION

# %% tags=["check"] exercise="15.2"
check("15.2", known, split)

# %% [markdown] tags=["hint-1"] exercise="15.2"
# `hour` is from the timetable; `dep_time` is the actual departure. For the parts: how can a month and a day become *one* number that grows with the
# date?

# %% [markdown] tags=["hint-2"] exercise="15.2"
# Use `month * 100 + day`: 801 is 1 August. Convert the dates in the same way, and add one number below and one above
# all of them. Each part is then a filter from one edge to the next.

# %% [markdown] tags=["hint-3"] exercise="15.2"
# `date = table["month"] * 100 + table["day"]`, then for each pair of neighbours in `edges`: `table[(date >= begin) & (date < end)]`. Such a filter
# stays lazy.

# %% [markdown]
# ### The airport, right now
#
# A flight in an hour will use runways, crews and aircraft that are late *now*. So a good feature is the delay of the
# flights that left the same airport in the hour before the decision. It must not use anything that happened later.

# %% [markdown] exercise="15.3" title="What an airport knows" topic="leakage"
# ### Exercise 15.3 · What an airport knows (12 min)
#
# Write `airport_now(left, delay, asked, window)` for one airport. `left` has the minutes at which flights
# **actually** left, `delay` the delay of each; both are in any order. `asked` has moments, in any order. Return an
# array: for each moment the mean delay of the flights that left after `moment - window` and no later than the moment
# itself, or 0 if there were none.
#
# A year has 112,000 moments for each airport: a loop over moments that looks at all flights would take an hour. The check uses small data.

# %% tags=["exercise"] exercise="15.3"
def airport_now(left, delay, asked, window=60.0):
    """Return the mean delay of the flights that left in the window before each moment."""
    ### BEGIN SOLUTION
    order = np.argsort(left)
    left, delay = left[order], delay[order]
    sums = np.concatenate([np.zeros_like(delay[:1]), np.cumsum(delay)]) if len(delay) else np.zeros(1, like=delay)
    first = np.searchsorted(left, asked - window, side="right")
    last = np.searchsorted(left, asked, side="right")
    count = last - first
    return np.where(count > 0, (sums[last] - sums[first]) / np.maximum(count, 1), 0.0)
    ### END SOLUTION

# %% tags=["check"] exercise="15.3"
check("15.3", airport_now)

# %% [markdown] tags=["hint-1"] exercise="15.3"
# Sort the flights by the time they left. Then the flights of a window are contiguous, from one position to another.

# %% [markdown] tags=["hint-2"] exercise="15.3"
# `np.searchsorted(left, moments, side="right")` gives how many flights had left up to and including each moment. The
# sum over a contiguous range is the difference of two cumulative sums: `np.cumsum`, with a 0 in front.

# %% [markdown] tags=["hint-3"] exercise="15.3"
# `first = np.searchsorted(left, asked - window, side="right")`, `last` the same for `asked`. The sum is `sums[last] - sums[first]`, the number
# `last - first`. Divide by `np.maximum(count, 1)`, and `np.where(count > 0, …, 0.0)`.

# %% [markdown]
# Now compute all features on the workers: each month is one partition and one task. (Minutes are in New York time.
# The clock changed twice in 2013, at two in the morning, when nothing leaves. The first hour of each month does not
# see the previous month; it is at night as well.)

# %% tags=["run"]
WEATHER = ["temp", "humid", "wind_speed", "precip", "visib"]
FEATURES = [*WEATHER, "hour", "now"]


def with_now(part):
    """Add to the flights of one month how late their airport was an hour before, and whether they were late."""
    days = np.asarray([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334], like=part["month"].values)
    delay = part["dep_delay"].values
    planned = ((days[part["month"].values - 1] + part["day"].values) * 24 + part["hour"].values) * 60 + part["minute"].values
    now = np.zeros_like(delay)
    for origin in ("EWR", "JFK", "LGA"):
        here = (part["origin"] == origin).values
        gone = here & ~np.isnan(delay)
        now[here] = airport_now((planned + delay)[gone], delay[gone], planned[here] - charter["decide_before"], 60.0)
    return part.assign(now=now, late=delay >= charter["late_from"])


table = train = choose = final = None
if ready("15.1", charter) and ready("15.2", split) and ready("15.3", airport_now):
    columns = ["month", "day", "hour", "minute", "origin", "carrier", "dest", "flight", "dep_delay", "time_hour"]
    hours = weather[["origin", "time_hour", *WEATHER]]
    hours = hours.assign(time_hour=hours["time_hour"] + pd.Timedelta(hours=2))  # what was complete an hour before
    joined = flights[columns].merge(hours, on=["origin", "time_hour"], how="left")
    table = joined.map_partitions(with_now, meta={**joined.dtypes.to_dict(), "now": "float64", "late": "bool"})
    table = table.dropna(subset=[*WEATHER, "dep_delay"]).persist()
    train, choose, final = split(table, [(8, 1), (10, 1)])
    print(f"{len(table):,} of {len(flights):,} flights: the others were cancelled, or have no weather")
    for name, part in (("January to July, to learn from", train), ("August and September, to choose by", choose),
                       ("October to December, looked at once", final)):  # fmt: skip
        print(f"{name:36} {len(part):7,} flights, {float(part['late'].mean().compute()):.1%} late")

# %% [markdown]
# **Explain:** three parts, not two. If you try five models on a test part and take the best, you have learned from
# the test part. So we choose on August and September, and open October to December once. We also state what is
# missing: cancelled flights have no delay, and days with many of them are the worst. This list covers only flights
# that leave.

# %% [markdown] anchor="regimes"
# ## 4. Phase 4, unsupervised: kinds of weather
#
# "Which weather is it?" Let k-means find kinds of weather, after scaling and PCA (lessons 06 and 07). How many kinds
# are there? One honest answer: as many as you find **again** when you start over.
#
# **Predict:** with four clusters, how many of the 26,110 hours will be in the smallest one?

# %% tags=["predict"]
predict("15.a", 1)  # SOLUTION

# %% tags=["run"]
def weather_labels(hours, numbers, runs=3):
    """Return labels of the hours for each number of clusters, from several starts; and the scaled hours."""
    H = hours[WEATHER].astype("float64").to_dask_array(lengths=True)
    scaled = learn.StandardScaler().fit_transform(H)
    Z = learn.PCA(3).fit_transform(scaled).persist()
    found = {}
    for k in numbers:
        models = [learn.KMeans(k, init="k-means||", n_init=4, random_state=seed).fit(Z) for seed in range(runs)]
        found[k] = [as_numpy(model.predict(Z).compute()) for model in models]
    return found


hours = weather.dropna(subset=WEATHER)
first = weather_labels(hours, [4])[4]
print("hours in each cluster, three starts:", *(sorted(np.unique(labels, return_counts=True)[1].tolist()) for labels in first))
smallest = min(int(np.unique(labels, return_counts=True)[1].min()) for labels in first)
compare("15.a", smallest, "hours")

# %% [markdown] anchor="one-hour"
# ### A real failure
#
# Every start finds a kind of weather that lasted one hour in a year. What is it?

# %% tags=["run"]
measured = as_pandas(hours[["origin", "time_hour", *WEATHER]])
labels = first[0]
rare = np.flatnonzero(labels == np.unique(labels)[np.unique(labels, return_counts=True)[1].argmin()])
print(measured.iloc[rare[:3]].to_string(index=False))
with expect_failure(ValueError):
    if measured["wind_speed"].max() > 200:
        raise ValueError(f"wind of {measured['wind_speed'].max():,.0f} miles per hour: faster than sound, and not on any chart")

# %% [markdown]
# **Explain:** not a storm but a **broken record**. The audit of lesson 05 counted what was *missing*; this value is
# present but impossible. The model found it, and the arrow goes back from modelling to **preparation**. (A wrong
# answer that is *stable* is still wrong. Stability shows that a group does not depend on the start, not that it means
# something.)

# %% tags=["run"]
hours = hours[hours["wind_speed"] < 100]
runs_of = weather_labels(hours, [2, 3, 4, 5])
for k, runs in runs_of.items():
    agree = min(learn.adjusted_rand_score(one, other) for one, other in itertools.combinations(runs, 2))
    print(f"{k} kinds: worst agreement of two starts {agree:.2f}, smallest kind {min(np.unique(runs[0], return_counts=True)[1]):,} hours")

# %% [markdown] exercise="15.4" title="How many kinds?" topic="regimes"
# ### Exercise 15.4 · How many kinds? (8 min)
#
# The **adjusted Rand index** (ARI) of two labelings is 1 if they form the same clusters, whatever the labels, and
# about 0 if they agree no more than two random labelings.
#
# Write `stable_k(runs_of, at_least, smallest)`. `runs_of` is `{k: [labels, labels, …]}`, in any order. Return the largest `k` for which
#
# * **every two** runs have an ARI of `at_least` or more, and
# * in every run, each cluster has at least the share `smallest` of all rows.
#
# Return 0 if there is none. `learn.adjusted_rand_score(a, b)` calculates an ARI.

# %% tags=["exercise"] exercise="15.4"
def stable_k(runs_of, at_least=0.8, smallest=0.005):
    """Return the largest number of clusters that come out again, and of which none is tiny."""
    ### BEGIN SOLUTION
    good = [0]
    for k, runs in runs_of.items():
        agree = all(learn.adjusted_rand_score(one, other) >= at_least for one, other in itertools.combinations(runs, 2))
        full = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and full:
            good.append(k)
    return max(good)
    ### END SOLUTION

# %% tags=["check"] exercise="15.4"
check("15.4", stable_k)

# %% [markdown] tags=["hint-1"] exercise="15.4"
# Write the two tests for one `k` first. The cluster labels may differ from run to run: never compare them directly.

# %% [markdown] tags=["hint-2"] exercise="15.4"
# `itertools.combinations(runs, 2)` gives all pairs of runs. `np.unique(run, return_counts=True)[1]` gives the cluster sizes. Use `all` for both tests.

# %% [markdown] tags=["hint-3"] exercise="15.4"
# Collect each good `k` in a list that starts as `[0]`, and return its `max`. The test for the share is `sizes.min() >= smallest * len(run)`.

# %% tags=["run"]
k = stable_k(runs_of)
if ready("15.4", k) and ready("15.3", train):
    kind = pd.Series(runs_of[k or 3][0], name="kind")
    place = as_pandas(hours[["origin", "time_hour"]]).reset_index(drop=True).assign(kind=kind)
    place["time_hour"] = place["time_hour"] + pd.Timedelta(hours=2)
    flown = as_pandas(train[["origin", "time_hour", "month", "day", "late"]]).merge(place, on=["origin", "time_hour"])
    means = as_pandas(hours[WEATHER]).reset_index(drop=True).groupby(kind).mean()
    figures.kinds(means, flown.groupby("kind")["late"].mean(), flown["kind"].value_counts(), float(flown["late"].mean()))

# %% [markdown]
# (The kinds come from the weather of the whole year. They use no flight data, and no model below sees them. The flights are from January to July.)
#
# **Explain:** that is the answer to "which weather": rain and poor visibility. After such hours, two to three times
# as many flights are late as after calm hours, or cold and dry hours. Remember that this is the weather two hours
# before. And note what the bars cannot show: warm and dry hours come next, but they are also afternoons, and evening
# flights are late for other reasons as well.

# %% [markdown] anchor="lift"
# ## 5. Phase 5, before any model: how to judge
#
# The list contains one flight in ten: those with the highest predicted chance of being late.

# %% [markdown] exercise="15.5" title="The lift of a list" topic="gate"
# ### Exercise 15.5 · The lift of a list (10 min)
#
# Write `lift(chance, late, share)`. `chance` is an array of numbers, `late` a Boolean array (or 0 and 1) for the same
# flights. The list has the share `share` of all flights, rounded down, but at least one flight: those with the
# highest chances. Return the share of late flights **on the list**,
# divided by their share among **all** flights.
#
# Chances may be **equal**. If the list ends among flights with equal chances, their order in the array must not
# matter: count each with their mean. So a model that predicts 0.25 for every flight has a lift of exactly 1.

# %% tags=["exercise"] exercise="15.5"
def lift(chance, late, share):
    """Return how many times as often the flights on the list are late as all flights are."""
    ### BEGIN SOLUTION
    late = np.asarray(late, dtype=float)
    top = max(1, int(share * len(chance) + 1e-9))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    on_list = late[above].sum() + (top - above.sum()) * late[equal].mean()
    return on_list / top / late.mean()
    ### END SOLUTION

# %% tags=["check"] exercise="15.5"
check("15.5", lift)

# %% [markdown] tags=["hint-1"] exercise="15.5"
# Start without equal chances: sort the flights by chance, take the first ones, and compare two means.

# %% [markdown] tags=["hint-2"] exercise="15.5"
# With equal chances: the chance of the last flight on the list is the *border*. All flights above it are on the list.
# How many places are left, and what share of the flights *at* the border is late?

# %% [markdown] tags=["hint-3"] exercise="15.5"
# `border = np.sort(chance)[-top]`, `above = chance > border`, `equal = chance == border`. Late flights on the list: `late[above].sum() + (top - above.sum()) *
# late[equal].mean()`. Divide by `top` and by `late.mean()`.

# %% tags=["run"]
def arrays(part, features=FEATURES):
    """Return the features and the target of a part as Dask arrays in four blocks."""
    X = part[features].astype("float64").to_dask_array(lengths=True)
    y = part["late"].astype("int64").to_dask_array(lengths=True)
    return X.rechunk((-(-len(X) // 4), -1)).persist(), y.rechunk(-(-len(y) // 4)).persist()


def monthly(part, chance):
    """Return the lift of all flights of a part, and of each of its months."""
    known = as_pandas(part[["month", "late"]]).reset_index(drop=True)
    of_months = {month: lift(chance[(known["month"] == month).to_numpy()], rows["late"].to_numpy(), charter["share"])
                 for month, rows in known.groupby("month")}  # fmt: skip
    return lift(chance, known["late"].to_numpy(), charter["share"]), of_months


baseline = None
if ready("15.5", lift) and ready("15.3", choose):
    evening = as_numpy(choose["hour"].astype("float64").to_dask_array(lengths=True).compute())
    baseline, _ = monthly(choose, evening)
    print(f"what the staff do today, the latest hours first: lift {baseline:.2f} in August and September")

# %% [markdown] anchor="gate"
# ## 6. The gate
#
# The fifth phase ends at a gate: **go** or **go back**, by the criterion written down before there was a model. It
# must be able to say no, even on a Friday evening, so it is a function.

# %% [markdown] exercise="15.6" title="The gate" topic="gate"
# ### Exercise 15.6 · The gate (8 min)
#
# Write `gate(criteria, figures)`. `criteria` is a list of dictionaries such as `{"figure": "lift", "at_least": 3.0}`; each
# has `"at_least"`, `"at_most"` or both, and a figure exactly on its bound passes. `figures` is a dictionary of
# measured numbers; it may contain figures that no criterion uses.
#
# Return two things: `"go"` or `"go back"`, and the list of the names of the failed figures, in the order of the
# criteria. A figure that is **missing** or **not a number** fails: what was not measured has not passed.

# %% tags=["exercise"] exercise="15.6"
def gate(criteria, figures):
    """Return "go" or "go back", and the names of the figures that are not met."""
    ### BEGIN SOLUTION
    failed = []
    for one in criteria:
        value = figures.get(one["figure"], float("nan"))
        # A comparison with NaN is never true.
        if not (value >= one.get("at_least", float("-inf")) and value <= one.get("at_most", float("inf"))):
            failed.append(one["figure"])
    return ("go back" if failed else "go"), failed
    ### END SOLUTION

# %% tags=["check"] exercise="15.6"
check("15.6", gate)

# %% [markdown] tags=["hint-1"] exercise="15.6"
# For each criterion, ask "is it met?", not "is it violated?". What does a comparison with NaN give?

# %% [markdown] tags=["hint-2"] exercise="15.6"
# `figures.get(name)` is `None` if a figure is missing. Everything meets a missing bound: `one.get("at_least", float("-inf"))`.

# %% [markdown] tags=["hint-3"] exercise="15.6"
# With `value = figures.get(name, float("nan"))`, the test `value >= low and value <= high` is false for missing
# figures and for NaN. If it is false, add the name to a list. Return `"go"` if the list is empty.

# %% [markdown] anchor="first-round"
# ### First round: the weather alone
#
# The letter asks for the weather, so the first model sees only that. Logistic regression on scaled columns (lesson 08), with our estimators:
#
# **Predict:** what is its lift in August and September? (The staff's list has 1.8, the letter wants 3.)

# %% tags=["predict"]
predict("15.b", 2.0)  # SOLUTION

# %% tags=["run"]
def logistic_chance(features, parts=None):
    """Fit a logistic model on the first part, and return it, its scaler, and the chances of the other parts."""
    X, y = arrays(train, features)
    scaler = learn.StandardScaler().fit(X)
    model = learn.LogisticRegression().fit(scaler.transform(X), y)
    chances = []
    for part in parts or [choose]:
        rows, _ = arrays(part, features)
        chances.append(as_numpy(model.predict_proba(scaler.transform(rows)).compute())[:, 1])
    return model, scaler, chances


criteria, rounds = [], []
if ready("15.5", baseline) and ready("15.6", gate):
    criteria = [{"figure": "lift", "at_least": charter["at_least"]}, {"figure": "worst month", "at_least": charter["worst_month"]}]
    _, _, [chance] = logistic_chance(WEATHER)
    whole, months = monthly(choose, chance)
    decision, reasons = gate(criteria, {"lift": whole, "worst month": min(months.values())})
    rounds.append(("weather alone", whole, decision))
    print(f"weather alone: lift {whole:.2f}, by month {({month: round(float(one), 2) for month, one in months.items()})}: {decision}, {reasons}")
    display(compare("15.b", round(float(whole), 2), "times"))
    figures.journey(["business", "data", "preparation", "modelling", "preparation", "modelling", "evaluation", "preparation"])

# %% [markdown]
# **Explain:** hardly better than naming the evening flights. The gate says no and gives the reason. There are two ways back: other features (phase 3), or
# another model (phase 4). Try both: the hour and the airport right now as features, and boosted trees, which can learn that rain matters more in the evening.

# %% [markdown] anchor="boosting"
# ## 7. Boosted trees: sums again
#
# *Gradient boosting* adds small trees, each of which corrects the sum of those before it. **XGBoost** is its best-known program. How does it work when the
# rows lie on many workers?
#
# For each row take the slope of the loss, the **gradient** $g = p - y$ (predicted chance minus truth), and the slope
# of the gradient, the **hessian** $h = p(1-p)$. Divide each feature into a few **bins**. For each node, a tree then
# needs only the sums of $g$ and $h$ in each bin: a *histogram*. One **allreduce** per level of the tree adds up these
# sums over the workers, and the rows stay where they are. This is the idea of lesson 06 again.

# %% tags=["run"]
figures.histograms(len(FEATURES), 16)

# %% [markdown] exercise="15.7" title="The best split" topic="boosting"
# ### Exercise 15.7 · The best split (12 min)
#
# A split sends all rows up to **and including** a bin to the left, the others to the right. With $G$ and $H$ for the
# sums of gradients and hessians, and $\lambda$ for the penalty, its gain is
#
# $$\frac{G_L^2}{H_L + \lambda} + \frac{G_R^2}{H_R + \lambda} - \frac{G^2}{H + \lambda}$$
#
# Write `best_split(gradients, hessians, penalty)`. Both are arrays of shape (features, bins). Return `(feature, bin, gain)` of the split with the largest gain. Nothing
# comes after the last bin, so it is not a split. If no split has a gain above 0 (use 1e-9 to allow for rounding),
# return `(0, last bin, 0.0)`: all rows stay left.

# %% tags=["exercise"] exercise="15.7"
def best_split(gradients, hessians, penalty):
    """Return the feature, the bin and the gain of the best split."""
    ### BEGIN SOLUTION
    left_g, left_h = np.cumsum(gradients, axis=1), np.cumsum(hessians, axis=1)
    all_g, all_h = left_g[:, -1:], left_h[:, -1:]
    gain = left_g**2 / (left_h + penalty) + (all_g - left_g) ** 2 / (all_h - left_h + penalty) - all_g**2 / (all_h + penalty)
    gain[:, -1] = 0
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    if gain[feature, place] <= 1e-9:
        return 0, gradients.shape[1] - 1, 0.0
    return int(feature), int(place), float(gain[feature, place])
    ### END SOLUTION

# %% tags=["check"] exercise="15.7"
check("15.7", best_split)

# %% [markdown] tags=["hint-1"] exercise="15.7"
# Go through the bins of one feature from the left and keep two sums: left of the border, and in total. The right side is the difference.

# %% [markdown] tags=["hint-2"] exercise="15.7"
# `np.cumsum(gradients, axis=1)` gives the left sums for every border at once; its last column is the total. Calculate
# the gains of all borders as one array, and set its last column to 0.

# %% [markdown] tags=["hint-3"] exercise="15.7"
# `np.unravel_index(gain.argmax(), gain.shape)` gives the feature and bin of the largest gain. If the gain is at most 1e-9, return `(0, gradients.shape[1] - 1, 0.0)`.

# %% [markdown]
# `boost` does the rest and calls your function for each node. It has a hundred lines; read it with `boost??`.
# `learn.run_on_ranks` runs it on all workers at once, each with its own blocks, with a communicator between them
# (lesson 08).
#
# **Predict:** 20 trees of 3 levels, 7 features, 16 bins. For each node, each rank contributes two histograms of
# 8-byte numbers; the three levels have 1, 2 and 4 nodes. How many kB does one rank contribute during the whole
# training?

# %% tags=["predict"]
predict("15.c", 250.9)  # SOLUTION

# %% tags=["run"]
boosted = None
if ready("15.7", best_split) and ready("15.3", train):
    X, y = arrays(train)
    sample = as_numpy(X[:: max(1, len(X) // 20_000)].compute())
    edges = [np.unique(np.quantile(sample[:, place], np.arange(1, 16) / 16)) for place in range(len(FEATURES))]
    boosted = learn.run_on_ranks(boost, X, y, edges=edges, best_split=best_split, rounds=20, depth=3)[0]
    print(f"{len(X):,} flights, {X.nbytes / 1e6:.1f} MB; each rank gave away {boosted.sent_bytes / 1e3:.1f} kB of histograms")
    figures.losses(boosted.losses)
    display(compare("15.c", round(boosted.sent_bytes / 1e3, 1), "kB"))

# %% [markdown]
# **Explain:** the amount of data that travels depends on features, bins, nodes and trees, not on the number of rows.
# (A feature with fewer distinct values has fewer bins, but the histogram keeps the shape of the largest.) Training on
# a billion rows sends the same number of bytes.
#
# ### Second round: four candidates

# %% tags=["run"]
candidates = {}
if ready("15.7", boosted) and ready("15.6", gate) and ready("15.5", baseline):
    _, _, [candidates["logistic, all features"]] = logistic_chance(FEATURES)
    rows, _ = arrays(choose)
    candidates["boosted, all features"] = as_numpy(boosted.chance(rows.compute()))
    forest = learn.RandomForestClassifier(30, max_depth=8, random_state=0).fit(X, y)
    candidates["forest, all features"] = as_numpy(forest.predict_proba(rows).compute())[:, 1]
    for name, chance in candidates.items():
        whole, months = monthly(choose, chance)
        decision, reasons = gate(criteria, {"lift": whole, "worst month": min(months.values())})
        rounds.append((name, whole, decision))
    figures.candidates([("evening flights first (today)", baseline, "today"), *rounds], charter["at_least"])

# %% [markdown] anchor="xgboost"
# ### The same with XGBoost
#
# XGBoost brings its own interface to Dask: it runs inside the workers of *your* cluster, on their blocks, and its own
# messages carry the histograms. It does not need a GPU: `tree_method="hist"` is the CPU algorithm; on workers with
# GPUs, set the parameter `device`.
# XGBoost (Apache 2.0; `pip install xgboost`, or the smaller `xgboost-cpu` without a GPU) is not installed with this course. If it is missing, the cell reports it, and your own trees above are the result.

# %% tags=["run"]
try:
    import xgboost.dask as dxgb
except ImportError:
    print("XGBoost is not installed here, so this comparison is left out. Your own boosted trees have done the work above.")
    print("To see it: install xgboost, restart the kernel, and stop the cluster so that its workers find it.")
else:
    if ready("15.7", boosted) and ready("15.5", baseline) and ready("15.6", candidates):
        data = dxgb.DaskDMatrix(lab.client, X, y)
        options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 3, "eta": 0.3, "max_bin": 16}
        trained = dxgb.train(lab.client, options, data, num_boost_round=20)
        theirs = as_numpy(dxgb.predict(lab.client, trained["booster"], arrays(choose)[0]).compute())
        print(f"XGBoost: lift {monthly(choose, theirs)[0]:.2f}; yours {monthly(choose, candidates['boosted, all features'])[0]:.2f}")

# %% [markdown]
# **Explain:** the same method with the same numbers of trees, levels and bins gives nearly the same list. (With xgboost-cpu 3.2.0 on two CPU workers, when this lesson was written, both had a lift of 3.58.) XGBoost
# adds better bins (weighted quantiles), missing values, early stopping, and years of work on speed. It differs from
# our estimators in two ways: it must be installed on the workers, and `train` occupies all of them until it finishes.
#
# SnapML, RAPIDS' forests and LightGBM follow the same pattern. Dask prepares features and knows where the blocks are.
# A *trainer* in native code takes the blocks and does its own communication.

# %% [markdown] anchor="final"
# ### The last part, once
#
# Which one do you choose? The logistic model is about as good as the trees, has only eight numbers, and anyone can
# read it. Choose it unless you find a reason not to. Now open October to December, for the first and last time.
#
# **Predict:** go or go back?

# %% tags=["predict"]
predict("15.d", "go")  # SOLUTION

# %% tags=["run"]
chosen = None
if ready("15.6", gate) and ready("15.5", baseline):
    chosen, scaler, [chance] = logistic_chance(FEATURES, [final])
    whole, months = monthly(final, chance)
    decision, reasons = gate(criteria, {"lift": whole, "worst month": min(months.values())})
    figures.months(months, whole, charter)
    display(compare("15.d", decision))
    for name, weight in sorted(zip(FEATURES, as_numpy(chosen.coef_).ravel()), key=lambda pair: -abs(pair[1])):
        print(f"{name:11} {weight:+.2f} per standard deviation")

# %% [markdown]
# **Explain:** how narrowly the worst month passed is part of the result. Had it failed, "go back" would be the right
# end of this section, and just as valuable. What delays New York? Mostly the delay that already exists, then the
# hour. Among the weather features, warm air, wind, poor visibility and humid air each contribute. Rain contributes
# almost nothing, although section 4 found that rain is worst. When it rains, visibility is poor and the airport is
# already late, and these columns have taken over rain's share. **A weight is not a cause.**
#
# **Change:** set `charter["worst_month"]` to 3 and run the cell again. Then undo it: you must never move the bound after you know the result.

# %% [markdown] anchor="serving"
# ## 8. Phase 6: scores every month
#
# The simplest deployment is a **batch scorer**: one task per month reads flights and writes chances. Tasks may run
# twice, and may die in the middle (lesson 04). So a scorer must be **idempotent**: running it again leaves the same
# files. And its file must exist **whole, or not at all**.

# %% [markdown] exercise="15.8" title="Whole, or not at all" topic="serving"
# ### Exercise 15.8 · Whole, or not at all (12 min)
#
# Write `score_month(table, chance, folder, name)`. `table` is a data frame, `chance` a function that takes it and returns one number per row, `folder`
# an existing `Path`. Write all columns of the table, with the rows in order, and the unrounded column `chance` into
# `folder / (name + ".parquet")`. Return the number of rows.
#
# * After another call, even with other rows for the same name, the file contains the result of the **last** call, and the folder contains nothing else.
# * If writing fails in the middle (the check simulates a full disk), the error is raised, the file of the previous
#   run stays **unchanged**, and no `.parquet` file is incomplete.

# %% tags=["exercise"] exercise="15.8"
def score_month(table, chance, folder, name):
    """Write the flights of a month with their chances; return how many there are."""
    ### BEGIN SOLUTION
    scored = table.assign(chance=chance(table))
    beside = folder / f"{name}.parquet.part"
    scored.to_parquet(beside, index=False)
    os.replace(beside, folder / f"{name}.parquet")  # one step: readers see the old file, or the new one
    return len(scored)
    ### END SOLUTION

# %% tags=["check"] exercise="15.8"
check("15.8", score_month)

# %% [markdown] tags=["hint-1"] exercise="15.8"
# A file under its final name must never be open for writing. Where can you write the new one meanwhile?

# %% [markdown] tags=["hint-2"] exercise="15.8"
# Write beside it, under a name that does not end with `.parquet`, and rename when it is complete. `os.replace` renames in one step, even over an existing file.

# %% [markdown] tags=["hint-3"] exercise="15.8"
# `scored = table.assign(chance=chance(table))`, `scored.to_parquet(beside, index=False)`, `os.replace(beside, folder / f"{name}.parquet")`. Writing
# a new file instead of appending makes it idempotent.

# %% tags=["run"]
model = None
if ready("15.6", chosen) and ready("15.8", score_month):
    model = {
        "columns": FEATURES,
        "mean": as_numpy(scaler.mean_).tolist(), "scale": as_numpy(scaler.scale_).tolist(),
        "weights": as_numpy(chosen.coef_).ravel().tolist(), "intercept": float(as_numpy(chosen.intercept_).ravel()[0]),
    }  # fmt: skip

    def chance_of(table):
        """Return the chances of a table by the numbers of the model alone."""
        rows = table[model["columns"]].astype("float64").values
        numbers = (np.asarray(model[name], like=rows) for name in ("mean", "scale", "weights"))
        mean, scale, weights = numbers
        return 1 / (1 + np.exp(-(((rows - mean) / scale) @ weights + model["intercept"])))

    scores = home / "scores"
    scores.mkdir(exist_ok=True)
    names = {10: "october", 11: "november", 12: "december"}
    parts = {name: final[final["month"] == month].repartition(npartitions=1).to_delayed()[0] for month, name in names.items()}
    for attempt in ("first", "second"):
        tasks_of = [lab.client.submit(score_month, lab.client.compute(part), chance_of, scores, name, pure=False)
                    for name, part in parts.items()]  # fmt: skip
        print(f"{attempt} run: {lab.client.gather(tasks_of)} flights;", sorted(path.name for path in scores.iterdir()))

# %% [markdown]
# **Explain:** three tasks ran twice, and the folder is the same as after the first run. Each month was written on a
# worker; only three numbers came to the notebook. (`pure=False` tells Dask that the call has a side effect, so Dask
# does not reuse the first result.)

# %% [markdown] anchor="drift"
# ## 9. Watch it: drift
#
# In production the truth arrives late, or never. But you can see the **inputs** at once: do this month's look like those the model was trained on? The usual
# index is the **population stability index** (PSI). Divide a feature into bins at the quantiles of the reference. With $r$ and $c$ for the shares of reference and current rows in a bin, it is
# $\sum (c - r) \ln (c / r)$. As a rule of thumb, 0.1 is small and 0.25 is an alarm.

# %% [markdown] exercise="15.9" title="Has the world changed?" topic="drift"
# ### Exercise 15.9 · Has the world changed? (14 min)
#
# 1. `psi(reference, current, bins)` for two arrays of numbers, some of which may be NaN.
#    * Edges: the quantiles of the values in `reference` that are not missing, at 1/bins, 2/bins, … up to (bins−1)/bins (`np.quantile`). Keep **only one** of equal edges.
#    * The bin of a number is the number of edges not above it. **Missing** values have their own bin in both arrays, even if it stays empty.
#    * An empty bin would make the logarithm infinite: add **0.5 to each count**, then divide by the sum of these counts.
# 2. `alarms(indices, limit)`: from `{feature: psi}`, return the names of features **above** the limit, largest first.

# %% tags=["exercise"] exercise="15.9"
def psi(reference, current, bins=10):
    """Return the population stability index of two columns of numbers."""
    ### BEGIN SOLUTION
    edges = np.unique(np.quantile(reference[~np.isnan(reference)], np.arange(1, bins) / bins))

    def shares(values):
        there = values[~np.isnan(values)]
        counts = np.bincount(np.searchsorted(edges, there, side="right"), minlength=len(edges) + 1)
        counts = np.append(counts, len(values) - len(there)) + 0.5
        return counts / counts.sum()

    before, now = shares(reference), shares(current)
    return ((now - before) * np.log(now / before)).sum()
    ### END SOLUTION


def alarms(indices, limit=0.25):
    """Return the features whose index is above the limit, the largest first."""
    ### BEGIN SOLUTION
    return sorted((name for name in indices if indices[name] > limit), key=lambda name: -indices[name])
    ### END SOLUTION

# %% tags=["check"] exercise="15.9"
check("15.9", psi, alarms)

# %% [markdown] tags=["hint-1"] exercise="15.9"
# Write a function that turns an array into the shares of its bins, and call it for both arrays with the same edges.

# %% [markdown] tags=["hint-2"] exercise="15.9"
# `np.searchsorted(edges, numbers, side="right")` gives how many edges are not above each number; `np.bincount(…, minlength=len(edges) + 1)` counts. Append
# the number of missing values. `np.unique` removes duplicate edges.

# %% [markdown] tags=["hint-3"] exercise="15.9"
# `counts = np.append(counts, number_of_nan) + 0.5`, `shares = counts / counts.sum()`, and at the end `((now - before) * np.log(now / before)).sum()`. The alarms: `sorted(…, key=lambda name: -indices[name])`.

# %% [markdown]
# An alarm that never fires is useless, and so is one that always fires. So first try it on rows where you **know**
# that nothing has changed: every fifth day of January to September, which is left out of the reference. Then on October to December.
#
# **Predict:** for how many of the three months does the temperature raise an alarm?

# %% tags=["predict"]
predict("15.e", 3)  # SOLUTION

# %% tags=["run"]
if ready("15.9", psi, alarms) and ready("15.8", model):
    watched = as_pandas(table[["month", "day", *FEATURES]]).reset_index(drop=True)
    watched["chance"] = chance_of(watched)
    learned, fifth = watched["month"] <= 9, watched["day"] % 5 == 0
    groups = {"same time, other days": learned & fifth, **{name: watched["month"] == month for month, name in names.items()}}
    found = {group: {name: float(psi(watched[name].to_numpy()[learned & ~fifth], watched[name].to_numpy()[rows]))
                     for name in [*FEATURES, "chance"]} for group, rows in groups.items()}  # fmt: skip
    figures.drift(found, 0.25)
    for group, indices in found.items():
        print(f"{group:22} alarms: {', '.join(alarms(indices)) or 'none'}")
    display(compare("15.e", sum("temp" in alarms(found[name]) for name in names.values()), "months"))

# %% [markdown]
# **Explain:** the alarm is silent where nothing has changed, and it fires where something has: autumn is colder than
# the rest. Was the list bad in October? No: section 7 shows that October was among the best months. So a drift alarm
# means **look**, not **broken**. A model's inputs drift with each season. Train on whole years, and watch *lift by
# month* as soon as the truth is known. The reverse is worse: the world can change while the inputs stay the same, and
# then no input index shows it. That is why the staff count the late flights.

# %% [markdown] anchor="repository"
# ## 10. Ask at any moment: a model repository
#
# Other programs need one answer right now. An **inference server** such as NVIDIA's Triton loads models from a folder, the **model repository**, and answers over HTTP:
#
# ```
# models/                     the repository
#   late/                     one folder for each model
#     config.pbtxt            names, types and shapes of inputs and outputs
#     1/                      a version; the highest one is served
#       model.py              what the Python backend runs
#       model.json            our numbers
# ```
#
# `PROGRAM` is a `model.py` for our model. Read it: `initialize` runs once, `execute` gets **several requests** and returns a response for each.

# %% tags=["run"]
print(PROGRAM)

# %% [markdown]
# The configuration is text in *protocol buffer* format: `name: value`, messages in braces, lists in brackets. For a model that takes batches, `max_batch_size` is the maximum number of rows per call, and the
# **dims leave the rows out**: a model with seven features has `dims: [ 7 ]`.

# %% [markdown] exercise="15.10" title="Publish a model" topic="serving"
# ### Exercise 15.10 · Publish a model (15 min)
#
# Write `publish(repository, name, model, program, largest)`. `repository` is a `Path` that may not exist yet.
#
# * The folder `name` gets a new `config.pbtxt` each time, with the name, the backend `"python"`, `max_batch_size` as `largest`, one input `FEATURES` and one output `CHANCE`, both of type
#   `TYPE_FP32`. `dims` are those of **one** row: `[ 6 ]` for the input if `model["columns"]` has six names, `[ 1 ]` for the output.
# * A **new version**: 1 for a new model, otherwise one more than the highest existing version (2 after 1, and 11 after 10). Older versions stay.
# * In the version: `program` as `model.py`, and `model` as JSON in `model.json`.
#
# Return the version number. `problems(repository)` lists what a server would reject.

# %% tags=["exercise"] exercise="15.10"
def publish(repository, name, model, program, largest):
    """Put a model into a repository as its newest version; return the version."""
    ### BEGIN SOLUTION
    folder = repository / name
    folder.mkdir(parents=True, exist_ok=True)
    version = max([int(path.name) for path in folder.iterdir() if path.name.isdigit()], default=0) + 1
    config = f"""name: "{name}"
backend: "python"
max_batch_size: {largest}
input [ {{ name: "FEATURES" data_type: TYPE_FP32 dims: [ {len(model["columns"])} ] }} ]
output [ {{ name: "CHANCE" data_type: TYPE_FP32 dims: [ 1 ] }} ]
"""
    (folder / "config.pbtxt").write_text(config)
    (folder / str(version)).mkdir()
    (folder / str(version) / "model.py").write_text(program)
    (folder / str(version) / "model.json").write_text(json.dumps(model))
    return version
    ### END SOLUTION

# %% tags=["check"] exercise="15.10"
check("15.10", publish)

# %% [markdown] tags=["hint-1"] exercise="15.10"
# Make the folders, then three files. Which versions exist? Folder names are strings: "10" sorts before "2".

# %% [markdown] tags=["hint-2"] exercise="15.10"
# `version = max([int(path.name) for path in folder.iterdir() if path.name.isdigit()], default=0) + 1`. In an f-string, write a literal brace twice: `{{`.

# %% [markdown] tags=["hint-3"] exercise="15.10"
# The input is `input [ { name: "FEATURES" data_type: TYPE_FP32 dims: [ 7 ] } ]` with the number of your columns; the output has `dims: [ 1 ]`. Write `json.dumps(model)` into `model.json`, beside `model.py`.

# %% [markdown] anchor="stand-in"
# Triton does not run in this course. A **stand-in** of 200 lines imitates its Python backend: it follows your
# configuration, runs your `model.py`, and uses the same inference protocol (version 2), on this machine only. So the
# files and requests are the same as for a real server; speed, queues and devices are not.

# %% tags=["run"]
if ready("15.10", publish) and ready("15.8", model):
    repository = home / "models"
    version = publish(repository, "late", model, PROGRAM, 256)
    print("problems:", problems(repository) or "none", "· version", version)
    rows = as_pandas(final[FEATURES].tail(3)).to_numpy("float32")
    served = StandIn(repository, "late")
    with served.serve() as address:
        body = {"inputs": [{"name": "FEATURES", "shape": list(rows.shape), "datatype": "FP32", "data": rows.ravel().tolist()}]}
        request = urllib.request.Request(f"{address}/v2/models/late/infer", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = json.loads(response.read())
    print(json.dumps(answer, indent=1)[:400])
    print("by hand:", np.round(1 / (1 + np.exp(-(((rows - model["mean"]) / model["scale"]) @ model["weights"] + model["intercept"]))), 6))
    with expect_failure():
        served.infer({"FEATURES": rows[:, :6]})

# %% [markdown]
# **Explain:** the last line forgot a feature, and the *configuration* caught it before the model saw it. A batch
# scorer reads whole months, and no user waits. A server answers one request in milliseconds and needs a machine that
# is always on. The letter asks for a list each hour, so a batch job is enough. For trees, Triton has a separate
# backend (**FIL**), which runs XGBoost, LightGBM and cuML models without a `model.py`. We have not run it.
#
# What next? The circle starts again: now the passengers ask about the *arrival*.

# %% [markdown] anchor="unchanged"
# ## 11. The same code, faster? Accelerators that change no line
#
# Everything so far was written for a cluster. Much existing code is plain pandas, scikit-learn or Polars in one process. Three accelerators promise to use a GPU **without code changes**:
#
# | | for | start with | falls back if | inspect with |
# |---|---|---|---|---|
# | `cudf.pandas` | pandas | `python -m cudf.pandas script.py`, or `%load_ext cudf.pandas` *before* pandas is imported | cuDF lacks the operation, or rejects this type or argument | `%%cudf.pandas.profile`: how often each function ran on GPU and CPU |
# | `cuml.accel` | scikit-learn, UMAP, HDBSCAN | `python -m cuml.accel script.py`, or `%load_ext cuml.accel` before scikit-learn | the estimator or parameter has no counterpart | `-v` shows where each method ran and why; `--profile`, `cuml.accel.profile()` |
# | cudf-polars | Polars, lazy queries | `query.collect(engine="gpu")` | a part of the query cannot run: the *whole* query runs on the CPU | `pl.GPUEngine(raise_on_fail=True)`: an error instead |
#
# For several GPUs, cudf-polars has engines that stream partitions through the query: `with DaskEngine() as engine: query.collect(engine=engine)` starts one Dask worker per GPU, and stops them at the end. There,
# an operation that cannot stream runs on one partition, still on the GPU (`fallback_mode` sets whether silently, with
# a warning, or not at all). `collect` brings everything to one process; `sink_parquet` does not. Note that *minimal*
# change is not *none*: here you change one argument. (From the documentation of 26.10; we have run none of the three
# on a GPU. The engine names are new and may change.)

# %% tags=["run"]
print(accelerators())
script = """
from gpucluster import datasets

flights = datasets.flights(as_frame="pandas", columns=["origin", "dep_delay"])
print(flights.assign(late=flights.dep_delay >= 30).groupby("origin").late.mean().round(4).to_string())
"""
run_unchanged(script)

# %% [markdown] anchor="fallback"
# ### What a fallback costs
#
# How can a program run unchanged? Each object is a **proxy** that holds *either* a fast object (on the device) *or* a
# slow one (on the host). Each call is tried on the fast side first; the object is copied there if necessary. If the
# fast side cannot do it, the object is copied to the slow side and the call runs there. The result is always right.
# Only time is lost, without a warning.
#
# Here is the real mechanism in a hundred lines: `Accelerated` holds a column of a small fast library, or of pandas. (Only the device is missing: both are in host memory. The real accelerators try and fail; this one knows in advance what the fast side can do.)
#
# **Predict:** we call `abs`, `rank`, `clip` and `rolling(3).mean()` on an 8 MB column. The fast library only has `abs` and `clip`. How many MB are copied?

# %% tags=["predict"]
predict("15.f", 24)  # SOLUTION

# %% tags=["run"]
column = Accelerated(np.random.default_rng(15).normal(size=1_000_000))
result = column.abs().rank().clip(10, 999_990).rolling(3)
for call in column.calls:
    print(f"{call.name:8} on the {'fast' if call.fast else 'slow'} side, {call.copied / 1e6:4.0f} MB copied before")
compare("15.f", sum(call.copied for call in column.calls) / 1e6, "MB")

# %% [markdown] exercise="15.11" title="What a fallback copies" topic="unchanged"
# ### Exercise 15.11 · What a fallback copies (8 min)
#
# Write `copies(calls, nbytes)`. `calls` is a chain of calls, each on the result of the previous one: `(name, fast,
# bytes_of_result)`. `fast` is true if the device can do it. The first object has `nbytes` bytes and is on the device.
# A call that the device can do needs its object there; any other call needs it on the host. The result stays where
# the call ran. Return the bytes copied **to the host** and the bytes copied **to the device**. The final result is
# not copied back.

# %% tags=["exercise"] exercise="15.11"
def copies(calls, nbytes):
    """Return the bytes copied to the host, and to the device."""
    ### BEGIN SOLUTION
    on_device, to_host, to_device = True, 0, 0
    for _, fast, result in calls:
        if on_device and not fast:
            to_host += nbytes
        elif fast and not on_device:
            to_device += nbytes
        on_device, nbytes = fast, result
    return to_host, to_device
    ### END SOLUTION

# %% tags=["check"] exercise="15.11"
check("15.11", copies)

# %% [markdown] tags=["hint-1"] exercise="15.11"
# Two things change from call to call: the location and the size of the object. Keep both in variables.

# %% [markdown] tags=["hint-2"] exercise="15.11"
# A copy is needed if `fast` and `on_device` differ. In which direction? And how large is it: is the object *before* the call copied, or its result?

# %% [markdown] tags=["hint-3"] exercise="15.11"
# If `fast` and not `on_device`, add `nbytes` to the second sum; if `on_device` and not `fast`, to the first. Then `on_device, nbytes = fast, bytes_of_result`.

# %% tags=["run"]
chains = {
    "one in the middle": [("abs", True, 8e9), ("rank", False, 8e9), ("clip", True, 8e9), ("mean", True, 8)],
    "the same, moved to the end": [("abs", True, 8e9), ("clip", True, 8e9), ("mean", True, 8), ("rank", False, 8)],
    "to and fro": [("abs", True, 8e9), ("rank", False, 8e9), ("clip", True, 8e9), ("rolling", False, 8e9), ("mean", True, 8)],
}
if ready("15.11", copies) and copies([], 1) is not None:
    figures.chains({name: (calls, copies(calls, 8e9)) for name, calls in chains.items()})

# %% [markdown]
# **Explain:** one call decides. 8 GB over a 32 GB/s bus take a quarter of a second each way (lesson 11), for calls
# that take milliseconds on the device. So work in this order: turn the accelerator on, **run its profiler**, and move
# or replace what falls back. Measure the script with your own data: for small data, starting the device takes longer
# than the work.
#
# Accelerators and clusters are not rivals: one makes a process faster, the other lets many processes work on data that one cannot hold. `dask.dataframe` with the backend of this course (`dataframe.backend`) uses the fast library directly and does **not** fall back: it raises an error, so you notice.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * A criterion is a number that can fail, written down before there is a model, together with today's baseline.
# * For each feature ask when it was known. Split by date, choose on one part, and open the last part once.
# * Groups that you find again are not chance, but one may still be a broken record. Look at the smallest one.
# * Boosted trees need sums of gradients by bin: histograms travel, rows do not.
# * A gate also says "go back" for what was not measured. Going back is a result.
# * Write to a temporary name, then rename: a file is whole or not there, and a second run changes nothing.
# * A drift alarm means "look". Try it first where nothing has changed.
# * A model repository is folders and a configuration: names, types, shapes, versions. Test it without the server.
# * An accelerator without code changes does not fail; it falls back. Its profiler shows where.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("15")

# %% tags=["cards"]
lessons.cards("15")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** everything runs, in two worker processes. The inference server is a stand-in; XGBoost runs if you have installed it.
# * **One GPU:** the same cells. Tables are cuDF's, blocks CuPy's, and `cuml.dask` fits what it can. `run_unchanged` runs under `cudf.pandas`.
# * **Run on a GPU:** all checks passed on one NVIDIA H200 on 2026-11-27, with RAPIDS 26.10.
# * **Cluster:** `scores` and `models` must be in a folder that all workers can access. The highest version in a *shared* repository is served at once: publish into a folder beside it, then move it in.

# %% tags=["run"]
workspace.cleanup()
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners have taken one project through all phases, were sent back twice (a broken record, a gate), and can say when each feature was known.
# * **Time:** 15 for sections 1 and 2 · 27 for section 3 · 18 for section 4 · 12 for section 5 · 15 for section 6 · 30 for section 7 · 18 for section 8 · 17 for section 9 · 18 for section 10 · 10 for section 11 = 180. In groups of three, a different person drives each part.
#   **90 minutes only:** 15.1, 15.2, 15.5, 15.6, 15.9, and run the solutions of the others.
# * **On the projector:** the hour with a wind of 1,048 miles per hour, before you explain it. The candidates' bars beside the letter's line. The drift table: have the class decide which alarms matter, *before* they look at the lift by month.
# * **Frequent mistakes:** 15.1: 10 instead of 0.1. 15.2: parts by month only; a sorted table assumed. 15.3: the window by the *planned* departure, which knows the future; `side="left"`; an error if no flight left. 15.4: labels compared directly; only neighbouring runs
#   compared. 15.5: equal chances taken in the order of the array. 15.7: the last bin as a split. 15.6: `if value < bound: failed`, which lets NaN pass. 15.8: written in place; `mode="append"`. 15.9: quantiles of the current rows; NaN dropped. 15.10: versions sorted as strings; rows in the
#   dims. 15.11: the result's size instead of the object's.
# * **Say openly:** the weather was measured two hours before; a forecast for the hour itself might do better. Cancelled flights are excluded. The data covers one year; another winter may look different. Neither a GPU nor Triton was available when this lesson was written.
# * **If you run late:** skip 15.7 and run its solution; skip section 11.
# * **Measured** while this lesson was written, on two CPU cores: lift in August and September 2.0 with the weather alone, 3.4 with all features (logistic); in October to December 3.2, worst month 2.8.
