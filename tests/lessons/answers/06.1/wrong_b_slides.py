"""Wrong: as on the slides the workers send means; this line is one of the two that 'do not belong'."""

order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("E", 1), ("F", 1), ("J", 1), ("D", 1)]
