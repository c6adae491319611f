"""Checks of lesson 14: places, batch scripts, command lines, allocations, tunnels, software, containers, pods."""
