"""A word that is not one of the three."""

moves = {
    "late flights": "none",
    "speed": "no",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}
