"""Wrong: all points go to the first worker before they are cut; 'two lines do not belong'."""

order = [("A", 0), ("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]
