"""The ``ssh`` command line from a laptop to a port of this machine, with checks from inside."""

from .checks import Check
from .planning import Tunnel, plan_tunnel

__all__ = ["Check", "Tunnel", "plan_tunnel"]
