"""Wrong: all lines on level 0, and the two that do not belong are among them."""

order = [(letter, 0) for letter in "ABCDEFGHIJ"]
