"""Wrong: the mean by origin as a shuffle."""

moves = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "shuffle",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}
