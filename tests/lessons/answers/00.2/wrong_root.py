from urllib.parse import urlsplit


def dashboard_url(server, path):
    parts = urlsplit(server)
    return f"{parts.scheme}://{parts.netloc}/{path}"
