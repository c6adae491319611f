"""How much of a disk a cluster may take for data that its workers spill, and what it has taken."""
