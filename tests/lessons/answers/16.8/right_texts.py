missing = {
    "A": "source, date, sample",
    "B": "source, date, baseline",
    "C": "",
    "D": "date",
    "E": "source, sample",
    "F": "date",
}
