"""Wrong: apply as a tree, as if it were max()."""

moves = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "tree",
}
