"""What one site says to everybody who uses gpucluster there: presets, defaults, limits and costs, in one file."""
