"""Wrong: points are added up per cluster before it is known which cluster they have; 'put the steps in order'."""

order = [("B", 0), ("I", 0), ("H", 0), ("G", 1), ("C", 1), ("F", 1), ("J", 1), ("D", 1)]
