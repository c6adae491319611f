"""Wrong: removes all double slashes, also the one after https:."""


def dashboard_url(server, path):
    return (server + "/" + path).replace("//", "/")
