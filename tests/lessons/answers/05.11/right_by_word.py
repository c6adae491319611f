"""Sorted by word."""

words = {
    "none": ["late flights", "speed", "only three carriers", "upper case"],
    "tree": ["total distance", "mean delay by origin", "ten longest delays"],
    "shuffle": ["sort by delay", "join each plane's flights", "apply per plane"],
}
moves = {name: word for word, names in words.items() for name in names}
