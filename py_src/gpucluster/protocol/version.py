"""The version of the wire protocol, and names that both ends use.

It is raised by one when a message changes in a way that an older peer cannot read. Jupyter server, kernel and cluster
may have three Python environments with three versions of this package.
"""

PROTOCOL_VERSION = 7
PROTOCOL_HEADER = "X-GPUCluster-Protocol"
BY_HEADER = "X-GPUCluster-By"  # The client, for the activity log, such as 'command line, process 815'.
SECRET_HEADER = "X-GPUCluster-Secret"  # noqa: S105  # the name of the header
"""A secret that requires read access to the cluster's folder."""
# Environment variables.
GIVEN_VARIABLES = "GPUCLUSTER_GIVEN_VARIABLES"  # The user's for workers, as JSON: they do not affect the supervisor.
IMPORT_FROM = "GPUCLUSTER_IMPORT_FROM"  # Further directories that workers import modules from: those of the caller.
ADDED_VARIABLES = "GPUCLUSTER_ADDED_VARIABLES"  # Names of those added for a supervisor, which removes them again.
