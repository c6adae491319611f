"""Letters in one string, without levels."""

order = "ABCDE"
