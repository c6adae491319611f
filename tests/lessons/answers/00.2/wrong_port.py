def dashboard_url(server, path):
    return "http://localhost:8787/status"
