"""A regular expression replaces the slashes at the end."""

import re


def dashboard_url(server, path):
    return re.sub(r"/*$", "/", server, count=1) + path
