"""Right: three lists, turned into one dictionary."""

groups = {
    "none": ["late flights", "speed", "only three carriers", "upper case"],
    "tree": ["total distance", "mean delay by origin", "ten longest delays"],
    "shuffle": ["sort by delay", "join each plane's flights", "apply per plane"],
}
moves = {name: kind for kind, names in groups.items() for name in names}
