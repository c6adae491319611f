"""Wrong: the three letters of the example, not nine."""

order = "X Y Z"
