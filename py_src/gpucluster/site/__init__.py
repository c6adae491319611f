"""Settings of a site for all its users: presets, defaults, limits and costs, in one file."""
