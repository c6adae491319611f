"""Figures that workers measure about themselves and send with each heartbeat.

Everything except ``plugin`` runs inside workers. Nothing in here imports CUDA, RMM or cuDF: they are read if the
worker's own tasks have imported them.
"""
