"""From a request to a cluster that starts: what it is checked by, where it runs, how its process is launched."""
