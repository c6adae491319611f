"""Long days: soak, chaos and fuzz, by hand for any length and as bounded tests."""
