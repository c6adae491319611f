from urllib.parse import urljoin


def dashboard_url(server, path):
    if not server.endswith("/"):
        server += "/"
    return urljoin(server, path)
