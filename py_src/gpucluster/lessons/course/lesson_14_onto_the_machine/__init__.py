"""Lesson 14: Onto the machine: Slurm, tunnels, containers, pods."""
