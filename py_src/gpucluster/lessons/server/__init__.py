"""The lessons over REST, for the panel."""
