"""The ssh command that forwards a Jupyter server to a laptop, with a real SSH server."""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NoReturn

import pytest
from gpucluster.cli import main
from gpucluster.client import ssh_tunnel
from gpucluster.client.jupyter_servers import reached_by
from gpucluster.client.ssh_tunnel import plan_tunnel
from gpucluster.protocol.errors import InvalidRequest, InvalidState

from tests.backends.ssh.sshd import Servers
from tests.ports import free_ports

HOST = socket.gethostname()
TOKEN = secrets.token_hex(16)


class Answer(BaseHTTPRequestHandler):
    """Jupyter's answer at ``/some/base/api``."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/some/base/api" else 404)
        self.end_headers()
        self.wfile.write(b'{"version": "2.99"}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def jupyter(tmp_path: Path) -> Iterator[HTTPServer]:
    """A server on loopback that answers like Jupyter, and its runtime file."""
    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _write(tmp_path, server.server_port)
    yield server
    server.shutdown()
    server.server_close()


def _write(folder: Path, port: int, pid: int | None = None, name: str = "jpserver-1.json", **more: object) -> None:
    process = {"pid": pid or os.getpid(), "port": port, "base_url": "/some/base/", "token": TOKEN, "password": False}
    (folder / name).write_text(json.dumps(process | more))


def test_unreachable_address_goes_through_the_node(jupyter: HTTPServer, tmp_path: Path) -> None:
    port = jupyter.server_port
    found = plan_tunnel(login="me@127.0.0.9:1", local_port=8000, directory=tmp_path, environment={})
    user, _, _ = found.line.rpartition("@")[0].rpartition(" ")
    assert found.line.startswith(f"{user} ")
    assert found.line.startswith(f"ssh -N -J me@127.0.0.9:1 -L 8000:localhost:{port} ")
    assert found.line.endswith(f"@{HOST}")
    assert found.link == "http://localhost:8000/some/base/lab"
    assert f"Jupyter 2.99 responds on port {port}." in [check.told for check in found.checks]
    [refused] = [check.told for check in found.checks if "the login node 127" in check.told]
    assert refused.startswith("No SSH server can be reached on the login node 127.0.0.9 (")
    assert not found.sound
    assert TOKEN not in found.model_dump_json()
    assert any("requires its token, which is not shown here" in note for note in found.notes)


def test_job_without_a_route_names_the_option(jupyter: HTTPServer, tmp_path: Path) -> None:
    found = plan_tunnel(directory=tmp_path, environment={"SLURM_JOB_ID": "7"})
    assert found.login_node is None
    assert "This is a job, and the login node is unknown: set --login-node." in found.notes


def test_a_login_node_that_has_an_address_only(jupyter: HTTPServer, tmp_path: Path) -> None:
    gate = "me@[2001:db8::5]:2222"
    found = plan_tunnel(login=gate, directory=tmp_path, environment={}, port=jupyter.server_port)
    assert f"-J '{gate}'" in found.line
    assert any("on the login node 2001:db8::5 (" in check.told for check in found.checks if not check.ok)


def refuse(address: str) -> NoReturn:
    raise socket.herror(1, "Unknown host")


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, None),
        ({"SSH_CONNECTION": "10.0.0.1 5000 127.0.0.1 22"}, None),
        ({"SSH_CONNECTION": "10.0.0.1 5000 192.0.2.7 22", "SLURM_SUBMIT_HOST": "login3"}, "192.0.2.7"),
        ({"SSH_CONNECTION": "2001:db8::9 5000 2001:db8::5 22"}, "[2001:db8::5]"),
        ({"SLURM_SUBMIT_HOST": "-oProxyCommand=x"}, None),
        ({"SLURM_SUBMIT_HOST": HOST}, None),
    ],
)
def test_where_the_laptop_logs_in(environment: dict[str, str], name: str | None, monkeypatch) -> None:
    monkeypatch.setattr(ssh_tunnel.socket, "gethostbyaddr", refuse)
    assert ssh_tunnel.login_node(None, environment)[0] == name
    monkeypatch.setattr(ssh_tunnel.socket, "getfqdn", lambda name="": f"{name}.site.org" if name == "login3" else name)
    submitted, told = ssh_tunnel.login_node(None, {"SLURM_SUBMIT_HOST": "login3"})
    assert submitted == "login3.site.org"
    assert "another name" in str(told)


def test_a_site_that_names_its_login_node() -> None:
    told = {"SSH_CONNECTION": "10.0.0.1 5000 192.0.2.7 22"}
    assert ssh_tunnel.login_node(None, told, "login.invalid")[0] == "login.invalid"
    assert ssh_tunnel.login_node("me@other.invalid", told, "login.invalid") == ("me@other.invalid", None)
    assert ssh_tunnel.login_node(None, told, HOST) == (None, None), "this machine itself"


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "a b", "a;b", "$(x)", "", "login:65536", "2001:db8::5", "[::1"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InvalidRequest, match=r"--login-node: .* is not a host name"):
        ssh_tunnel.login_node(name, {})


def test_foreign_server_files_are_ignored(jupyter: HTTPServer, tmp_path: Path) -> None:
    (tmp_path / "jpserver-1.json").rename(tmp_path / "real.json")
    (tmp_path / "jpserver-2.json").symlink_to(tmp_path / "real.json")
    (tmp_path / "jpserver-3.json").write_text("[")
    _write(tmp_path, jupyter.server_port, pid=1, name="jpserver-4.json")
    _write(tmp_path, jupyter.server_port, name="jpserver-5.json", base_url="/x'; rm -rf /")
    os.mkfifo(tmp_path / "jpserver-6.json")
    with pytest.raises(InvalidState, match=rf"You have no Jupyter server on {HOST}; 5 Jupyter files .*srun --overlap"):
        plan_tunnel(directory=tmp_path, environment={})
    assert len(list(tmp_path.iterdir())) == 6
    with pytest.raises(InvalidState, match="Nothing is listening on port 1 of"):
        plan_tunnel(1, directory=tmp_path, environment={})


def test_reachable_addresses() -> None:
    assert reached_by({"127.0.0.1", "::1"}) is None
    assert reached_by({"127.0.0.1", "0.0.0.0"}) == reached_by({"::"}) == "*"  # noqa: S104
    assert reached_by({"10.0.0.5"}) == "10.0.0.5"


@pytest.mark.parametrize("words", [["0"], ["x"], ["8888", "--local-port", "70000"]])
def test_ports_that_are_none(words: list[str], capsys) -> None:
    assert main(["tunnel", *words]) == 2
    assert "must be a whole number from 1 to 65535" in capsys.readouterr().err


@pytest.mark.processes
def test_the_line_leads_to_a_real_jupyter(tmp_path: Path, monkeypatch, capsys, wait_until) -> None:
    """Through a real SSH server, which stands for the login node."""
    servers, gate, port, local = Servers(tmp_path), free_ports(1)[0], free_ports(1)[0], free_ports(1)[0]
    servers.start("gate", ["127.0.0.2"], gate)
    runtime = tmp_path / "runtime"
    environment = {**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime), "JUPYTER_TOKEN": TOKEN}
    options = ["--no-browser", "--allow-root", "--ip=0.0.0.0", f"--port={port}", "--ServerApp.base_url=/some/base"]
    command = [sys.executable, "-m", "jupyter_server", *options, f"--ServerApp.root_dir={tmp_path}"]
    jupyter = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    tunnel = None
    try:
        # It writes its address before it answers.
        wait_until(lambda: list(runtime.glob("jpserver-*.json")) and _get(f"http://localhost:{port}/some/base/api"))
        monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
        words = ["tunnel", "--login-node", f"root@127.0.0.2:{gate}", "--local-port", str(local)]
        code = main(words)
        said = capsys.readouterr()
        assert code == 0, said.err
        assert TOKEN not in said.out + said.err
        line = said.out.split()
        assert line[:2] == ["ssh", "-N"]
        own = ["-o", "BatchMode=yes", "-i", str(tmp_path / "key"), "-o", f"UserKnownHostsFile={tmp_path}/known_hosts"]
        tunnel = subprocess.Popen([line[0], *own, *line[1:]], stdin=subprocess.DEVNULL)
        link = f"http://localhost:{local}/some/base/api"
        answer = wait_until(lambda: _get(link))
        assert "version" in json.loads(answer)
    finally:
        for process in (tunnel, jupyter):
            if process is not None:
                process.kill()
                process.wait()
        servers.stop()


def _get(link: str) -> bytes:
    try:
        with urllib.request.urlopen(link, timeout=5) as answer:
            return bytes(answer.read())
    except OSError:
        return b""
