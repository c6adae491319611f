def dashboard_url(server, path):
    parts = [part for part in server.split("/") if part] + path.split("/")
    return parts[0] + "//" + "/".join(parts[1:])
