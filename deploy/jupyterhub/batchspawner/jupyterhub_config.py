"""JupyterHub whose servers are jobs of Slurm: ``jupyterhub -f jupyterhub_config.py`` on the hub's machine.

A job's processes end with the job, so clusters on the node of the server do. Clusters whose workers are jobs of their
own (kind ``slurm``) end too, as the process that holds them is in the server's job.
"""

import sys

import batchspawner  # noqa: F401  # registers the address by which jobs tell their port

c = get_config()  # noqa: F821  # given by JupyterHub

c.JupyterHub.spawner_class = "batchspawner.SlurmSpawner"
c.JupyterHub.hub_connect_ip = "hub.example.org"  # a name of this machine that nodes can reach
c.JupyterHub.concurrent_spawn_limit = 20

c.SlurmSpawner.req_partition = "course"
c.SlurmSpawner.req_runtime = "04:00:00"
c.SlurmSpawner.req_memory = "8G"
c.SlurmSpawner.req_nprocs = "4"
c.SlurmSpawner.req_gres = "gpu:1"  # clusters of the kind 'cuda' use the GPUs of this job; '' for none
c.Spawner.start_timeout = 600  # a place in the queue
c.Spawner.http_timeout = 120

# The extension's settings. The memory is the job's own, so a standby takes nobody's.
c.Spawner.args = [
    "--GPUClusterExtension.standby=True",
    "--GPUClusterExtension.activity_hours=4",
    "--GPUClusterExtension.gauges_count_as_activity=False",
]

# What passes the proxy, as the polling of an open page, is no use: what the servers tell counts, and nothing else.
c.JupyterHub.last_activity_interval = 0
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600", "--cull-every=300"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
