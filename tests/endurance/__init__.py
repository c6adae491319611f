"""Long runs: soak, chaos and fuzz, by hand for any duration and as bounded tests."""
