"""Wrong: puts the path below the host, and loses /user/ana; it must be below the server's address."""

from urllib.parse import urlsplit


def dashboard_url(server, path):
    parts = urlsplit(server)
    return f"{parts.scheme}://{parts.netloc}/{path}"
