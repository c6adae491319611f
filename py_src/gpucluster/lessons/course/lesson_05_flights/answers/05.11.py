# %% right b_by_group: Three groups, turned round by a comprehension.
groups = {
    "none": ["late flights", "speed", "only three carriers", "upper case"],
    "tree": ["total distance", "mean delay by origin", "ten longest delays"],
    "shuffle": ["sort by delay", "join each plane's flights", "apply per plane"],
}
moves = {name: kind for kind, names in groups.items() for name in names}

# %% right by_word: Sorted by word.
# ~ groups = { => words = {
# ~ kind for kind, names in groups => word for word, names in words

# %% wrong all_alike: One word for all.
# fails: The operations with 'none' match Dask's plans
names = """late flights,speed,only three carriers,upper case,total distance,mean delay by origin,ten longest delays,\
sort by delay,join each plane's flights,apply per plane"""
moves = dict.fromkeys(names.split(","), "tree")

# %% wrong apply_is_a_tree, edit of the solution: Takes apply for a tree.
# fails: The operations with 'tree' match Dask's plans
# ~ "apply per plane": "shuffle", => "apply per plane": "tree",

# %% wrong b_filter_moves, edit of the solution: A filter leaves partitions uneven, but moves no rows ("none").
# fails: The operations with 'none' match Dask's plans
# ~ "late flights": "none", => "late flights": "shuffle",

# %% wrong b_isin_tree, edit of the solution: Each partition calls isin alone, nothing is merged.
# fails: The operations with 'none' match Dask's plans
# ~ "only three carriers": "none", => "only three carriers": "tree",

# %% wrong other_words, edit of the solution: A word that is not one of the three.
# fails: Each word is none, tree or shuffle
# ~ "speed": "none", => "speed": "no",
