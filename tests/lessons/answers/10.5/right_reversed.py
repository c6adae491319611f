"""Right: built from words to letters, turned round."""

_letters = {"tiles": "E", "hybrid": "D", "model": "C", "data": "B", "one device": "A"}
ways = {letter: word for word, letter in _letters.items()}
