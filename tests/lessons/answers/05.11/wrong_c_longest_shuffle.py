"""Wrong: the ten longest need no sort of all rows."""

moves = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "shuffle",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}
