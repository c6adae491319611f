"""What has happened to a cluster: its activity, its log, and why workers died."""
