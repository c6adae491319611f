"""Wrong: a text of letters without levels."""

order = "A B C D E F"
