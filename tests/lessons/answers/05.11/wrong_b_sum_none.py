"""Wrong: the partial sums are merged: "tree", not "each partition by itself"."""

moves = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "none",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}
