"""Wrong: the line with the local means is in as well; 'two lines do not belong'."""

order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("G", 1), ("E", 1), ("F", 1), ("J", 1), ("D", 1)]
