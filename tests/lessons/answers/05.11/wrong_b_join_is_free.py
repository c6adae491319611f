"""Wrong: two tables in many partitions: "each row goes to the partition that its key belongs to"."""

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
