"""The pairs are made by a comprehension from two words."""

outside, inside = "IBH", "CGJFD"
order = [(letter, 0) for letter in outside] + [(letter, 1) for letter in inside]
