"""Wrong: a file path makes https:/ from https://, so the address does not work."""

from pathlib import PurePosixPath


def dashboard_url(server, path):
    return str(PurePosixPath(server) / path)
