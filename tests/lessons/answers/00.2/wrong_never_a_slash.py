def dashboard_url(server, path):
    return server + path
