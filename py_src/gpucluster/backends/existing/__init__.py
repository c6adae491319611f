"""A scheduler started outside gpucluster: shown and connected to, never stopped."""
