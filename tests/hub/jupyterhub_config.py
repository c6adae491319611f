"""Configuration of the hub of these tests: users are user ids of the system, each with a separate home."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from jupyterhub.spawner import SimpleLocalProcessSpawner

SETTINGS = json.loads(os.environ["TEST_HUB"])
FOLDER = Path(SETTINGS["folder"])


class UidSpawner(SimpleLocalProcessSpawner):
    """Starts each user's server with a user id of the system, without an account."""

    def _default_home_dir(self) -> str:
        return str(FOLDER / self.user.name)

    def make_preexec_fn(self, name: str) -> Any:
        """Return the first function of a new process."""
        number, home = SETTINGS["users"][name], str(FOLDER / name)

        def become() -> None:
            os.setgroups([])
            os.setgid(number)
            os.setuid(number)
            os.chdir(home)

        return become

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        home = str(FOLDER / self.user.name)
        return {**env, "USER": self.user.name, "LOGNAME": self.user.name, "HOME": home}


c = get_config()  # type: ignore[name-defined]  # noqa: F821
c.JupyterHub.bind_url = SETTINGS["url"]
c.JupyterHub.hub_bind_url = SETTINGS["hub_url"]
c.JupyterHub.db_url = f"sqlite:///{FOLDER}/hub/hub.sqlite"
c.JupyterHub.cookie_secret_file = f"{FOLDER}/hub/cookie_secret"
c.JupyterHub.spawner_class = UidSpawner
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = SETTINGS["password"]
c.Authenticator.allowed_users = {*SETTINGS["users"], "teacher"}
c.ConfigurableHTTPProxy.api_url = SETTINGS["proxy_url"]
c.ConfigurableHTTPProxy.auth_token = SETTINGS["proxy_token"]
c.ConfigurableHTTPProxy.command = SETTINGS["proxy"]
c.ConfigurableHTTPProxy.pid_file = f"{FOLDER}/hub/proxy.pid"
c.JupyterHub.last_activity_interval = 0  # requests through the proxy do not count as use: servers report it

c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    "--GPUClusterExtension.standby=False",
    f"--GPUClusterExtension.activity_hours={SETTINGS['activity_hours']}",
]
c.Spawner.env_keep = ["PATH"]
c.Spawner.environment = {
    "GPUCLUSTER_DIR": lambda spawner: str(FOLDER / spawner.user.name / "c"),
    "GPUCLUSTER_SITE": "/nonexistent/site.yaml",
    "GPUCLUSTER_PRELOAD_LATER": "0",
    "JUPYTERHUB_ACTIVITY_INTERVAL": "2",
    "JUPYTERHUB_SINGLEUSER_APP": "jupyter_server.serverapp.ServerApp",
}
c.LocalProcessSpawner.interrupt_timeout = 1
c.Spawner.start_timeout = c.Spawner.http_timeout = 120

c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [
            *(sys.executable, "-m", "jupyterhub_idle_culler"),
            *(f"--timeout={SETTINGS['cull_seconds']}", "--cull-every=2"),
        ],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["culler"],
    },
    {"name": "instructor", "scopes": ["access:servers!user=ada"], "users": ["teacher"]},
]
