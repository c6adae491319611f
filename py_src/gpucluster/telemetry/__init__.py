"""What workers measure about themselves and send along with each heartbeat.

Everything but ``plugin`` runs inside workers. Nothing in here imports CUDA, RMM or cuDF: they are read where the
worker's own tasks have imported them.
"""
