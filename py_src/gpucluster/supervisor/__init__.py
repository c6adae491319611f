"""The process that owns one cluster.

Started detached, so that no Jupyter server, kernel or shell takes the cluster with it when it ends. It holds
the distributed Cluster object and the scheduler, keeps the record up to date, samples telemetry, runs the
idle timer, and answers HTTP on a unix socket. When it dies, by whatever cause, its workers die with it.
"""
