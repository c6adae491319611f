"""Where clusters are written down: one private directory per user, one folder per cluster."""
