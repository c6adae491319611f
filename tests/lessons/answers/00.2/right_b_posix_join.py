"""posixpath.join puts a slash between the parts only where none is."""

import posixpath


def dashboard_url(server, path):
    return posixpath.join(server, path)
