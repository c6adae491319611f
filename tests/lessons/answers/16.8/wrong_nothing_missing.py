missing = {
    "A": set(),
    "B": set(),
    "C": set(),
    "D": set(),
    "E": set(),
    "F": set(),
}
