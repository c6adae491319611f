"""Wrong: the server of the example is fixed, and the argument is ignored."""


def dashboard_url(server, path):
    return "https://hub.school.org/user/ana/" + path
