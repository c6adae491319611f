"""Right: sets from texts by split."""

_words = {
    "A": "date sample source",
    "B": "baseline date source",
    "C": "",
    "D": "date",
    "E": "sample source",
    "F": "date",
}
missing = {claim: set(words.split()) for claim, words in _words.items()}
