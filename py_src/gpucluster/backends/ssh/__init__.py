"""Workers on other machines that are reached by SSH."""

from .backend import SSHBackend

__all__ = ["SSHBackend"]
