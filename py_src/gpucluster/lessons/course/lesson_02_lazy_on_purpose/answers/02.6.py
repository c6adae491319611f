# %% right names
collections = {"a": "DataFrame", "b": "Bag", "c": "Array", "d": "Delayed", "e": "Futures"}

# %% right without_case
collections = {"a": "dataframe", "b": "bag", "c": "Array", "d": "Delayed", "e": "FUTURES"}

# %% wrong all_tables
# fails: Each job has the right collection
collections = dict.fromkeys("abcde", "DataFrame")

# %% wrong b_bag_for_functions: A bag for the functions and delayed for the log files.
# fails: Each job has the right collection
collections = dict(a="DataFrame", b="Delayed", c="Array", d="Bag", e="Futures")

# %% wrong word
# fails: Each is one of the five words
collections = {"a": "pandas", "b": "Bag", "c": "Array", "d": "Delayed", "e": "Futures"}
