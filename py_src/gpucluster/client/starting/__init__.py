"""From a request to a starting cluster: checks, environment, and launch of its process."""
