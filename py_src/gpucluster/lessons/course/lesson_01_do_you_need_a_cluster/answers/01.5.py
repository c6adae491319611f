# %% right b_nine_of_ten: Nine of ten: case d is answered differently, which is enough.
choices = dict(
    zip("abcdefghij", ["pandas", "pandas", "one device", "Dask", "Dask", "Spark", "Dask", "Dask", "one device", "Dask"])
)

# %% right dict_by_tool
tools = {"pandas": "ab", "one device": "ci", "spill": "d", "Dask": "eghj", "Spark": "f"}
choices = {case: tool for tool, cases in tools.items() for case in cases}

# %% right without_case
choices = {
    "a": "Pandas",
    "b": "Pandas",
    "c": "one device",
    "d": "spill",
    "e": "dask",
    "f": "spark",
    "g": "dask",
    "h": "dask",
    "i": "one device",
    "j": "dask",
}

# %% wrong all_dask
# fails: At least nine of the ten choices are good
choices = dict.fromkeys("abcdefghij", "Dask")

# %% wrong case_missing, edit of the solution
# fails: Each choice is there
# -     "f": "Spark",

# %% wrong words, edit of the solution
# fails: Each is one of the five words
# ~ "a": "pandas", => "a": "Pandas!",
# ~ "pandas" => "numpy"
