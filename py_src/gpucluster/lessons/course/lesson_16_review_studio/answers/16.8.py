# %% right sets, edit of the solution

# %% right lists
missing = {
    "A": ["sample", "date", "source"],
    "B": ["baseline", "date", "source"],
    "C": [],
    "D": ["date"],
    "E": ["sample", "source"],
    "F": ["date"],
}

# %% right texts
missing = {
    "A": "source, date, sample",
    "B": "source, date, baseline",
    "C": "",
    "D": "date",
    "E": "source, sample",
    "F": "date",
}

# %% wrong one_word_more
# fails: Claim A
# ~ "date", "sample" => "date", "sample", "baseline"

# %% wrong baseline_for_rank: The rank in D is taken for a gain without baseline.
# fails: Claim D
# ~ "D": {"date"} => "D": {"date", "baseline"}

# %% wrong counts_need_a_sample
# fails: Claim C
# ~ "C": set() => "C": {"sample"}

# %% wrong empty_dict: {} for C, which is a dictionary and no set.
# fails: Each is a set of words
# ~ "C": set() => "C": {}

# %% wrong gain_needs_a_sample
# fails: Claim B
# ~ baseline => sample", "baseline

# %% wrong laptop_complete: F is taken for complete, though it has no date.
# fails: Claim F
# ~ "F": {"date"} => "F": set()

# %% wrong survey_is_a_source
# fails: Claim E
# ~ source", "sample => sample

# %% wrong word
# fails: Each is one of the four words
# ~ A": {"source => A": {"author
