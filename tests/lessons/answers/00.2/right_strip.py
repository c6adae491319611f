def dashboard_url(server, path):
    return f"{server.rstrip('/')}/{path}"
