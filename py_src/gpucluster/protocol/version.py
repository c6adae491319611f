"""The version of the wire protocol, and names that both of its ends have to know.

Raised by one whenever a message changes in a way that an older peer cannot read. Jupyter server,
kernel and cluster may come from three Python environments with three versions of this package.
"""

from __future__ import annotations

PROTOCOL_VERSION = 7
PROTOCOL_HEADER = "X-GPUCluster-Protocol"
BY_HEADER = "X-GPUCluster-By"  # Who asks, for the cluster's activity: a few words, such as 'command line, process 815'.
SECRET_HEADER = "X-GPUCluster-Secret"  # noqa: S105  # the name of the header
"""What only those know who can read the cluster's folder."""
GIVEN_VARIABLES = "GPUCLUSTER_GIVEN_VARIABLES"
"""Environment variable with those that somebody gave to the workers, as JSON: they change no supervisor."""
IMPORT_FROM = "GPUCLUSTER_IMPORT_FROM"
"""Environment variable with directories that workers import modules from, too: those of whoever asks for one."""
ADDED_VARIABLES = "GPUCLUSTER_ADDED_VARIABLES"
"""Environment variable that names those which a supervisor got besides its caller's, and takes out again."""
