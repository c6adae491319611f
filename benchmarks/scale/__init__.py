"""How far one scheduler goes: a real one with thousands of simulated workers that speak with it as real ones do."""
