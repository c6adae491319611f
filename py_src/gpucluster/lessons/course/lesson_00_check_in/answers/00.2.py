"""Answers to exercise 00.2."""

# %% right b_posix_join: posixpath.join puts a slash between the parts only where none is.
import posixpath


def dashboard_url(server, path):
    return posixpath.join(server, path)

# %% right b_regex: A regular expression replaces the slashes at the end.
import re


def dashboard_url(server, path):
    return re.sub(r"/*$", "/", server, count=1) + path

# %% right strip
def dashboard_url(server, path):
    return f"{server.rstrip('/')}/{path}"

# %% wrong always_a_slash
# fails: No slash is doubled, none is missing
def dashboard_url(server, path):
    return server + "/" + path

# %% wrong b_bare_urljoin: Urljoin drops the last part of a server without slash, so the page is not below the server.
# fails: Nothing of the server's address is lost
from urllib.parse import urljoin


def dashboard_url(server, path):
    return urljoin(server, path)

# %% wrong b_cut_last: Cuts the last character although it may not be a slash; both forms must work.
# fails: The server is the same
def dashboard_url(server, path):
    return server[:-1] + "/" + path

# %% wrong b_plus: Only adds the texts, so the slash is missing when the server has none at its end.
# fails: The server is the same
def dashboard_url(server, path):
    return server + path
