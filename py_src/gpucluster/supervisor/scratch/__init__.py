"""How much of a disk a cluster may take for what its workers spill, and what it has taken."""
