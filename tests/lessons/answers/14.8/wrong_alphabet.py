"""All letters in the order in which they are shown, all at level 0."""

order = [(letter, 0) for letter in "ABCDEFGHIJ"]
