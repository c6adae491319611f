"""What has happened to a cluster, for people: its activity, its log, and who died of what."""
