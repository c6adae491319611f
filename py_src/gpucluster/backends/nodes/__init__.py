"""What kinds have in common whose workers run on other machines, and whose scheduler runs in the supervisor."""
