"""Answers to exercise 16.8."""

# %% right lists
missing = {
    "A": ["sample", "date", "source"],
    "B": ["baseline", "date", "source"],
    "C": [],
    "D": ["date"],
    "E": ["sample", "source"],
    "F": ["date"],
}

# %% right sets
# edit of the solution

# %% right texts
missing = {
    "A": "source, date, sample",
    "B": "source, date, baseline",
    "C": "",
    "D": "date",
    "E": "source, sample",
    "F": "date",
}

# %% wrong all_words
# fails: Claim A
missing = {
    "A": {"source", "date", "sample", "baseline"},
    "B": {"source", "date", "sample", "baseline"},
    "C": {"source", "date", "sample", "baseline"},
    "D": {"source", "date", "sample", "baseline"},
    "E": {"source", "date", "sample", "baseline"},
    "F": {"source", "date", "sample", "baseline"},
}

# %% wrong baseline_for_a_share
# fails: Claim A
# edit of the solution
# ~ "A": {"source", "date", "sample"}, => "A": {"source", "date", "sample", "baseline"},

# %% wrong baseline_for_rank: The rank in D is taken for a gain without baseline.
# fails: Claim D
# edit of the solution
# ~ "D": {"date"}, => "D": {"date", "baseline"},

# %% wrong counts_need_a_sample
# fails: Claim C
# edit of the solution
# ~ "C": set(), => "C": {"sample"},

# %% wrong empty_dict: {} for C, which is a dictionary and no set.
# fails: Each is a set of words
# edit of the solution
# ~ "C": set(), => "C": {},

# %% wrong gain_needs_a_sample
# fails: Claim B
# edit of the solution
# ~ "B": {"source", "date", "baseline"}, => "B": {"source", "date", "sample", "baseline"},

# %% wrong laptop_complete: F is taken for complete, though it has no date.
# fails: Claim F
# edit of the solution
# ~ "F": {"date"}, => "F": set(),

# %% wrong nothing_missing
# fails: Claim A
missing = {
    "A": set(),
    "B": set(),
    "C": set(),
    "D": set(),
    "E": set(),
    "F": set(),
}

# %% wrong survey_is_a_source
# fails: Claim E
# edit of the solution
# ~ "E": {"source", "sample"}, => "E": {"sample"},

# %% wrong word
# fails: Each is one of the four words
# edit of the solution
# ~ "A": {"source", "date", "sample"} => "A": {"author", "date", "sample"}
