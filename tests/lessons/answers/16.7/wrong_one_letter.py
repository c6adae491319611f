"""Wrong: one letter nine times."""

order = "A A A A A A A A A"
