"""An if adds the missing slash."""


def dashboard_url(server, path):
    if not server.endswith("/"):
        server = server + "/"
    return server + path
