"""Wrong: only adds the texts, so the slash is missing when the server has none at its end."""


def dashboard_url(server, path):
    return server + path
