"""``/opt/tljh/config/jupyterhub_config.d/gpucluster.py``: what gpucluster needs of The Littlest JupyterHub.

systemd ends all of a user's processes with the server, clusters included: the culler's timeout should be longer than
a break. The clusters' records stay in /tmp and say so at the next start.
"""

c = get_config()  # noqa: F821  # given by JupyterHub

c.SystemdSpawner.isolate_devices = False  # GPUs are devices
c.SystemdSpawner.isolate_tmp = False  # or each start finds an empty list of clusters
c.SystemdSpawner.unit_extra_properties = {"TasksMax": "2000"}  # threads: a cluster of two workers has about 50

# Each start needs a second or two of a processor.
c.JupyterHub.concurrent_spawn_limit = 10
c.Spawner.start_timeout = 120
