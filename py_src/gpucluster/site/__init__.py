"""Settings of a site for all its users: presets, defaults, limits and costs, in one file."""

import os
from pathlib import Path

VARIABLE = "GPUCLUSTER_SITE"
DEFAULT_PATH = Path("/etc/gpucluster/site.yaml")


def site_path() -> Path:
    """Return ``$GPUCLUSTER_SITE``, else ``/etc/gpucluster/site.yaml``.

    Here, as a cluster's process asks for it before it imports anything large.
    """
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).absolute() if chosen else DEFAULT_PATH
