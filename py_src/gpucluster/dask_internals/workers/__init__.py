"""Workers and their nannies: state, memory, spilled data, transfers."""
