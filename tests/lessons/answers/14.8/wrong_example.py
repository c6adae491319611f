"""The example of the comment, as it stands there: letters that are no lines."""

order = [("X", 0), ("Y", 0), ("Z", 1)]
