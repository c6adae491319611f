"""Checks of lesson 12: crossings, ping-pong, links, paths, allreduce, shared memory, shuffles, staging, options."""
