"""Wrong: eight letters only."""

order = "A B C D E F G H"
