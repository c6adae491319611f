# %% right strip
def dashboard_url(server, path):
    return f"{server.rstrip('/')}/{path}"

# %% right b_posix_join: posixpath.join puts a slash between the parts only where none is.
# ~ f"{server.rstrip('/')}/{path}" => posixpath.join(server, path)
import posixpath

# %% right b_regex: A regular expression replaces the slashes at the end.
# ~ f"{server.rstrip('/')}/{path}" => re.sub(r"/*$", "/", server, count=1) + path
import re

# %% wrong always_a_slash
# fails: No slash is doubled or missing
# ~ f"{server.rstrip('/')}/{path}" => server + "/" + path

# %% wrong b_bare_urljoin: Urljoin drops the last part of a server without slash, so the page is not below the server.
# fails: The server's address is complete
# ~ f"{server.rstrip('/')}/{path}" => urljoin(server, path)
from urllib.parse import urljoin

# %% wrong b_cut_last: Cuts the last character although it may not be a slash; both forms must work.
# fails: The server is the same
# ~ f"{server.rstrip('/')}/{path}" => server[:-1] + "/" + path

# %% wrong b_plus: Only adds the texts, so the slash is missing when the server has none at its end.
# fails: The server is the same
# ~ f"{server.rstrip('/')}/{path}" => server + path
