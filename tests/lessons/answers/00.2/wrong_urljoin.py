from urllib.parse import urljoin


def dashboard_url(server, path):
    return urljoin(server, path)
