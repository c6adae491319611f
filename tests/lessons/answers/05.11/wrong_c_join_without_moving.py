"""Wrong: the table of planes is taken for a small one, copied to the flights."""

moves = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "none",
    "apply per plane": "shuffle",
}
