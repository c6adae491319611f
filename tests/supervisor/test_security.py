"""Other users of this machine, and processes without the secrets, can do nothing."""

import json
import os
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import gpucluster
import psutil
import pytest
from gpucluster.protocol.version import PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from gpucluster.supervisor.interface import ROUTES

NOBODY = 65534

STRANGER = """
import asyncio, json, os, socket, ssl, sys, tempfile
from pathlib import Path
from distributed import Client
from distributed.comm import connect
from distributed.security import Security
from gpucluster.client.control import AsyncControl
from gpucluster.supervisor.starting import make_credentials

directory, scheduler, ports, uid = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4])
home = tempfile.mkdtemp(dir="/tmp")
if uid:
    os.chown(home, uid, uid)
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
    assert os.getuid() == os.geteuid() == uid
os.environ["HOME"] = home
got = {}

def attempt(name, what):
    try:
        got[name] = repr(what())[:200]
    except Exception as error:
        got[name] = f"refused: {type(error).__name__}"

if uid:
    attempt("list", lambda: os.listdir(directory))
    for entry in json.loads(sys.argv[5]):
        attempt(f"read {entry}", lambda: Path(entry).read_bytes())
    def unix():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(sys.argv[6])
            connection.sendall(b"GET /model HTTP/1.1\\r\\nHost: x\\r\\nX-GPUCluster-Protocol: 1\\r\\n\\r\\n")
            return connection.recv(100)
    attempt("socket", unix)
    attempt("registry", lambda: AsyncControl(Path(directory)).registry.list())

theirs = make_credentials(Path(home) / "tls")

async def talk(address, arguments):
    comm = await connect(address, timeout=3, **arguments)
    try:
        await asyncio.wait_for(comm.write({"op": "identity"}), 3)
        return await asyncio.wait_for(comm.read(), 3)
    finally:
        comm.abort()

trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
trusting.check_hostname = False
trusting.verify_mode = ssl.CERT_NONE
pretending = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
pretending.check_hostname = False
pretending.verify_mode = ssl.CERT_NONE
pretending.load_cert_chain(Path(home) / "tls" / "cert.pem", Path(home) / "tls" / "key.pem")

async def be_a_client(address, security):
    client = await asyncio.wait_for(Client(address, timeout=3, security=security, asynchronous=True), 15)
    return await client.run_on_scheduler(os.getpid)

async def talk_to_all():
    ways = {"plain": ("tcp", {}), "no certificate": ("tls", {"ssl_context": trusting}),
            "own certificate": ("tls", {"ssl_context": pretending})}
    talks = {f"{port} {way}": talk(f"{protocol}://127.0.0.1:{port}", arguments)
             for port in ports for way, (protocol, arguments) in ways.items()}
    if not uid:  # The owner's own files, to prove that a way in would be found.
        tls = Path(sys.argv[6]).with_name("tls")
        files = {"tls_ca_file": "ca.pem", "tls_client_cert": "cert.pem", "tls_client_key": "key.pem"}
        owner = Security(require_encryption=True, **{name: str(tls / file) for name, file in files.items()})
        talks["owner"] = talk(scheduler, owner.get_connection_args("client"))
    talks["owner of sockets" if not uid else "sockets"] = talk(sys.argv[7], {})
    talks["client"] = be_a_client(scheduler, theirs)
    talks["plain client"] = be_a_client(scheduler.replace("tls:", "tcp:"), None)
    tasks = {name: asyncio.create_task(work) for name, work in talks.items()}
    await asyncio.wait(tasks.values(), timeout=10)
    for name, task in tasks.items():
        if not task.done():
            got[name] = "refused: no answer"
        elif task.exception() is not None:
            got[name] = f"refused: {type(task.exception()).__name__}"
        else:
            got[name] = repr(task.result())[:200]
    print(json.dumps(got), flush=True)
    os._exit(0)  # distributed's client goes on trying

asyncio.run(talk_to_all())
"""


def listening(processes):
    return {
        (connection.laddr.ip, connection.laddr.port)
        for process in processes
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }


def family(site, model):
    return site.family(site.get(model.id))


@pytest.fixture(scope="module")
def encrypted_cluster(shared_site):
    """A cluster for programs without gpucluster: it has ports."""
    return shared_site.running(name="encrypted", protocol="tls", idle_timeout_seconds=None)


def test_no_port_is_open(shared_site, shared_cluster):
    """Not even while a client computes, and data move between workers."""
    before = {connection.laddr for connection in psutil.Process().net_connections(kind="inet")}
    with gpucluster.connect("shared").get_client() as client:
        first, second = (worker.address for worker in shared_site.get("shared").workers)
        data = client.submit(bytes, 10**6, workers=first)
        assert client.submit(len, data, workers=second).result(60) == 10**6
        for process in family(shared_site, shared_cluster):
            assert process.net_connections(kind="inet") == [], process
        opened = {connection.laddr for connection in psutil.Process().net_connections(kind="inet")}
        assert opened <= before, "nor in the notebook's process"


def test_sockets_are_private_to_the_user(shared_site, shared_cluster):
    folder = shared_site.registry.folder(shared_cluster.id)
    assert folder.comm.stat().st_mode & 0o777 == 0o700
    sockets = [path for path in folder.comm.iterdir() if path.is_socket()]
    # Scheduler, dashboard; for each worker its own and its nanny's.
    assert len(sockets) == 2 + 2 * 2
    assert {path.stat().st_mode & 0o777 for path in folder.comm.iterdir()} == {0o600}
    name = shared_cluster.scheduler_address.rpartition("/")[2]
    assert shared_cluster.scheduler_address == f"gpucluster+unix://127.0.0.1{folder.comm}/{name}"


@pytest.mark.parametrize(
    "sent", [b"", b"x" * 43, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3], ids=["nothing", "wrong", "http"]
)
def test_sockets_reveal_nothing_without_secret(shared_site, shared_cluster, sent):
    """Like a locked-in process of the same user, which may connect, but not read the file."""
    folder = shared_site.registry.folder(shared_cluster.id)
    for path in folder.comm.iterdir():
        if path.is_socket() and path.name != "dashboard":
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(30)
                connection.connect(str(path))
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                with suppress(ConnectionResetError):
                    assert connection.recv(100) == b"", path
    with gpucluster.connect("shared").get_client() as client:
        assert client.submit(sum, [1, 2]).result(60) == 3


def test_ports_are_on_loopback(shared_site, encrypted_cluster):
    addresses = listening(family(shared_site, encrypted_cluster))
    # Scheduler and its dashboard; the worker's own port and its nanny's.
    assert len(addresses) == 2 + 2
    assert {ip for ip, _ in addresses} == {"127.0.0.1"}
    for process in family(shared_site, encrypted_cluster):
        for connection in process.net_connections(kind="inet"):
            assert connection.type == socket.SOCK_STREAM or connection.laddr.ip == "127.0.0.1", connection


@pytest.mark.parametrize("uid", [pytest.param(NOBODY, id="another user"), 0], ids=str)
@pytest.mark.full
def test_stranger_is_refused_everywhere(shared_site, shared_cluster, encrypted_cluster, uid):
    if uid and os.getuid() != 0:
        pytest.skip("only root can become another user: run the tests as root")
    folder = shared_site.registry.folder(encrypted_cluster.id)
    sockets = shared_site.registry.folder(shared_cluster.id).comm
    files = (folder.state, folder.dashboard, folder.log, folder.tls / "key.pem", sockets / "secret")
    secrets = [str(path) for path in files]
    ports = sorted(port for _, port in listening(family(shared_site, encrypted_cluster)))
    # No other user could enter a private directory to find the names of files: reveal them.
    stranger = shared_site.python(
        STRANGER, str(shared_site.directory), encrypted_cluster.scheduler_address, json.dumps(ports), str(uid),
        json.dumps(secrets), str(folder.socket), shared_cluster.scheduler_address, cwd=tempfile.gettempdir(),
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    out, err = stranger.communicate(timeout=170)
    assert stranger.returncode == 0, err
    got = json.loads(out)
    if not uid:
        assert "refused" not in got.pop("owner")
        assert "refused" not in got.pop("owner of sockets")
    assert len(got) == 3 * len(ports) + 2 + (9 if uid else 0)
    assert {name: answer for name, answer in got.items() if not answer.startswith("refused: ")} == {}
    if uid:
        assert got["list"] == got["socket"] == got[f"read {secrets[3]}"] == "refused: PermissionError"
        assert got["registry"] == "refused: RegistryUnsafe"


def fetch(url):
    """Return status, headers and body; redirects are not followed."""

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    opener = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=30) as answer:
            return answer.status, str(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, str(error.headers), error.read()


GUESSES = ["", "status", "sitemap.json", "health", "metrics", "json/identity.json", "individual-plots.json", "workers",
           "info/main/workers.html", "api/v1", "statics/css/base.css", "proxy/80/127.0.0.1/x", "ws", "bokeh",
           "graph/ws", "static/js/bokeh.min.js", "..", "%2e%2e/", "//status", "\u00e9"]  # fmt: skip


@pytest.mark.parametrize("guess", GUESSES)
def test_dashboard_hides_its_path(shared_site, shared_cluster, guess):
    from urllib.parse import quote

    shared_site.control.open_dashboard("shared")
    address = shared_site.control.dashboard("shared")
    path = quote(guess, safe="/%")
    for start in ("", f"{address.prefix[:-1]}/", f"{address.prefix}x/", f"{address.prefix.upper()}/"):
        status, headers, body = fetch(f"http://127.0.0.1:{address.port}/{start}{path}")
        assert status == 404
        assert address.prefix not in headers + body.decode()


def test_the_dashboard_is_below_its_secret_path(shared_site, shared_cluster):
    url = shared_site.control.open_dashboard("shared")
    assert shared_site.control.open_dashboard("shared") == url, "one port for all"
    status, _, body = fetch(url)
    assert status == 200
    assert b"Dask" in body
    base = url.removesuffix("status")
    assert fetch(f"{base}health")[0] == 200
    assert fetch(f"{base}proxy/80/127.0.0.1/x")[0] == 404, "no way to other hosts"


def test_files_are_private_from_the_beginning(shared_site, encrypted_cluster):
    folder = shared_site.registry.folder(encrypted_cluster.id)
    for path in [shared_site.directory, folder.path, folder.tls, folder.scratch]:
        assert path.stat().st_mode & 0o777 == 0o700
    files = (folder.state, folder.dashboard, folder.log, folder.lock, folder.socket, folder.secret)
    for path in [*files, *folder.tls.iterdir()]:
        assert path.stat().st_mode & 0o777 == 0o600, path
    assert {path.name for path in folder.tls.iterdir()} == {"ca.pem", "cert.pem", "key.pem"}


def test_credentials_differ_between_clusters(shared_site, encrypted_cluster, tmp_path):
    from gpucluster.supervisor.starting import make_credentials

    make_credentials(tmp_path / "tls")
    ours = shared_site.registry.folder(encrypted_cluster.id).tls / "key.pem"
    assert ours.read_text() != (tmp_path / "tls" / "key.pem").read_text()


@pytest.mark.processes
def test_log_hides_secrets_and_control_characters(tmp_path):
    import subprocess

    code = (
        "import logging; from gpucluster.protocol.plain_text import redact, route_all_loggers, start_log\n"
        "start_log(); redact('s3cret'); import distributed, warnings; route_all_loggers()\n"
        "logging.info('at %s', 'http://host/s3cret/status')\n"
        "logging.getLogger('gpucluster.supervisor').info('by %s', 'x' + chr(27) + '[2J' + chr(10) + '2026 INFO')\n"
        "logging.getLogger('distributed').info('two' + chr(10) + 'lines' + chr(0))\n"
        "try: raise ValueError('path s3cret')\n"
        "except ValueError: logging.exception('failed')\n"
        "try: raise OSError('s3cret ended')\n"
        "except OSError: logging.getLogger('distributed.batched').info('closed', exc_info=True)\n"
        "logging.info('%s and %s', 's3cret')\n"
        "warnings.warn('of s3cret')\n"
        "names = [None, *logging.root.manager.loggerDict]\n"
        "for name in names: logging.getLogger(name).critical('by %s: s3cret%c[2J', name, 27)\n"
        "for _ in range(100): logging.getLogger('tornado.application').error('again')\n"
        "print(len(names))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "http://host/…/status" in done.stderr
    assert "ValueError: path …" in done.stderr
    assert "closed (OSError: … ended)\n" in done.stderr
    assert done.stderr.count("Traceback") == 1, "only of what was logged as an error"
    assert "s3cret" not in done.stderr
    assert r"by x\x1b[2J\n2026 INFO" in done.stderr
    assert "two\nlines\\x00" in done.stderr
    assert "UserWarning: of …" in done.stderr and "\x1b" not in done.stderr
    # Once per logger, including those with handlers from distributed; the limit counts per place.
    assert min(int(done.stdout), 50) == done.stderr.count(r": …\x1b[2J") >= 20
    assert "by tornado.application: …" in done.stderr
    assert done.stderr.count("tornado.application  again") == 50


def test_open_network_is_opt_in_and_shown(shared_site, shared_cluster, encrypted_cluster):
    assert (shared_cluster.network, encrypted_cluster.network) == ("unix", "tls")
    assert encrypted_cluster.scheduler_address.startswith("tls://127.0.0.1:")
    model = shared_site.running(name="open", protocol="tcp")
    assert model.network == "open"
    assert model.scheduler_address.startswith("tcp://127.0.0.1:")
    assert not shared_site.registry.folder(model.id).tls.exists()
    assert {ip for ip, _ in listening(shared_site.family(model))} == {"127.0.0.1"}
    handle = gpucluster.connect("open")
    assert "(not encrypted: anyone who can reach this address can run code as you)" in handle._repr_html_()
    for each in (handle, gpucluster.connect("encrypted")):
        with each.get_client() as client:
            assert client.submit(lambda: 1).result(60) == 1
    handle.stop()


def asking(socket_path, head):
    """Send the head of a request and return the whole answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(socket_path))
        connection.sendall(f"{head}Host: x\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def test_other_protocol_version_is_refused(shared_site, shared_cluster):
    folder = shared_site.registry.folder(shared_cluster.id)
    secret = f"{SECRET_HEADER}: {folder.secret.read_text()}\r\n"

    def ask(header):
        return asking(folder.socket, f"GET /model HTTP/1.1\r\n{header}")

    assert "200 OK" in ask(f"{PROTOCOL_HEADER}: {PROTOCOL_VERSION}\r\n{secret}")
    # The second one is from a version without secrets.
    for header in (f"{PROTOCOL_HEADER}: 99\r\n{secret}", f"{PROTOCOL_HEADER}: 2\r\n", secret):
        answer = ask(header)
        assert "409" in answer.splitlines()[0]
        assert "Install the same version of gpucluster" in answer


@pytest.mark.parametrize("secret", [None, "", "x" * 43, "\u00e9"], ids=["none", "empty", "wrong", "odd"])
def test_wrong_secret_reveals_nothing(shared_site, shared_cluster, secret, wait_until):
    folder = shared_site.registry.folder(shared_cluster.id)
    # It becomes quiet without a request, once.
    wait_until(lambda: shared_site.get("shared").idle.quiet_since is not None)
    before = shared_site.get("shared")
    headers = f"{PROTOCOL_HEADER}: {PROTOCOL_VERSION}\r\nContent-Length: 0\r\n"
    headers += f"{SECRET_HEADER}: {secret}\r\n" if secret is not None else ""
    paths = [pattern.replace("([^/]+)", "0") for pattern, _ in ROUTES] + ["/nothing", "/"]
    for path in paths:
        for method in ("GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"):
            answer = asking(folder.socket, f"{method} {path} HTTP/1.1\r\n{headers}")
            assert answer.startswith("HTTP/1.1 403 "), (method, path, answer)
            assert "require its secret" in answer
            assert "shared" not in answer
        assert asking(folder.socket, f"HEAD {path} HTTP/1.1\r\n{headers}").startswith("HTTP/1.1 403 ")
    assert shared_site.get("shared") == before, "nothing was done"


@pytest.mark.linux("workers that are forked from one process")
def test_all_sockets_need_a_secret(shared_site, shared_cluster):
    """Python's forkserver has one, and would run what it receives: no other process finds it."""
    commands = [" ".join(process.cmdline()) for process in shared_site.family(shared_cluster)]
    assert any("multiprocessing.forkserver" in command for command in commands)
    folder = shared_site.registry.folder(shared_cluster.id)
    comm = {str(path) for path in folder.comm.iterdir() if path.is_socket()}
    assert shared_site.reachable_sockets(shared_cluster) - comm == {str(folder.socket)}


def test_the_secret_is_in_its_file_only(shared_site, shared_cluster):
    folder = shared_site.registry.folder(shared_cluster.id)
    secret = folder.secret.read_bytes()
    assert len(secret) >= 40
    for path in folder.path.rglob("*"):
        if path.is_file() and path != folder.secret:
            assert secret not in path.read_bytes(), path


def test_no_token_of_jupyter_reaches_a_cluster(site, monkeypatch):
    """A cluster may be created by a Jupyter server or hub, whose tokens code on workers must not get."""
    names = ("JUPYTER_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_API_TOKEN", "CONFIGPROXY_AUTH_TOKEN")
    names += ("JUPYTERHUB_COOKIE_SECRET",)
    for name in names:
        monkeypatch.setenv(name, "opens-jupyter")
    monkeypatch.setenv("OF_THE_PERSON", "passed-on")
    model = site.running(name="tokens", n_workers=1)
    seen = [process.environ() for process in site.family(model)]
    with gpucluster.connect("tokens").get_client() as client:
        [of_worker] = client.run(lambda: dict(os.environ)).values()
        seen += [of_worker, client.run_on_scheduler(lambda: dict(os.environ))]
    assert of_worker["OF_THE_PERSON"] == "passed-on"
    for environment in seen:
        assert not set(names) & set(environment)
        assert "opens-jupyter" not in environment.values()


def test_temporary_directory_has_no_keys(shared_site, encrypted_cluster):
    """distributed writes keys to temporary files for OpenSSL; none may stay."""
    key = (shared_site.registry.folder(encrypted_cluster.id).tls / "key.pem").read_text()
    for path in Path(tempfile.gettempdir()).iterdir():
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 10_000:
            assert key not in path.read_text(errors="replace")
