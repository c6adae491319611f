"""How the suite runs: which tests, in which order, and what a test without processes may not do."""
