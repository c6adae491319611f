letters = "FCIEDBA"
order = [(letter, 0 if place < 3 else 1) for place, letter in enumerate(letters)]
