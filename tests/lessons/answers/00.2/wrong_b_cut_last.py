"""Wrong: cuts the last character although it may not be a slash; both forms must work."""


def dashboard_url(server, path):
    return server[:-1] + "/" + path
