"""Wrong: urljoin drops the last part of a server without slash, so the page is not below the server."""

from urllib.parse import urljoin


def dashboard_url(server, path):
    return urljoin(server, path)
