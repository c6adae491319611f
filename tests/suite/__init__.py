"""How the suite runs: in which order, and what a test without processes may not do."""
