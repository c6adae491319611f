"""urljoin from the standard library, after a slash was put at the end."""

from urllib.parse import urljoin


def dashboard_url(server, path):
    return urljoin(server.rstrip("/") + "/", path)
