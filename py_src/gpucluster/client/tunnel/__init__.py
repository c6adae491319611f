"""The ``ssh`` command line from a laptop to a port of this machine, with checks from inside."""

from .model import Check, Tunnel
from .planning import plan_tunnel

__all__ = ["Check", "Tunnel", "plan_tunnel"]
