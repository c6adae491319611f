"""The way from somebody's laptop to a port of this machine, as one line of ``ssh``, checked from inside."""

from .model import Check, Tunnel
from .planning import plan_tunnel

__all__ = ["Check", "Tunnel", "plan_tunnel"]
