"""Wrong: always adds a slash, so there are two when the server ends with one."""


def dashboard_url(server, path):
    return f"{server}/{path}"
