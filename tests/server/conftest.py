"""A real Jupyter server with our extension, and real clusters in a separate registry."""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gpucluster.client.control import Control
from gpucluster.protocol.models import ClusterModel

# Fixtures and hooks for this folder only: as a plugin they would start a server around every test.
from pytest_jupyter.jupyter_server import *  # noqa: F403
from pytest_jupyter.jupyter_server import jp_ws_fetch as unclosed_ws_fetch  # noqa: F401
from traitlets.config import Config

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: E402, F401

Call = Callable[..., Awaitable[tuple[int, Any]]]


@pytest.fixture(autouse=True)
async def jp_asyncio_loop() -> asyncio.AbstractEventLoop:
    """Let the server share the loop of the tests, which is pytest-asyncio's."""
    return asyncio.get_running_loop()


@pytest.fixture(scope="session")
def registry_directory() -> Iterator[Path]:
    """Registry of these tests; its running clusters are stopped at the end."""
    # Not tmp_path: the path of a unix socket must be short.
    directory = Path(tempfile.mkdtemp(prefix="gpuc-", dir="/tmp"))
    patch = pytest.MonkeyPatch()
    patch.setenv("GPUCLUSTER_DIR", str(directory))
    try:
        yield directory
        control = Control(directory)
        control.close_standby()
        for model in control.list():
            control.stop(model.id)
    finally:
        patch.undo()
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="module")
def running_cluster(registry_directory) -> Iterator[ClusterModel]:
    """One running CPU cluster with one worker, for the tests of a file that leave it as it is.

    Not for longer: watched by the servers of all later tests, it used more processor time than a start.
    """
    control = Control(registry_directory)
    model = control.create({"backend": "local", "name": "shared", "n_workers": 1, "idle_timeout_seconds": None})
    yield control.wait(model.id)
    control.stop(model.id)
    control.remove(model.id)


@pytest.fixture
def extension_config(request) -> dict[str, Any]:
    """Settings of the extension: those of the marker ``extension``; tests override this."""
    return {"standby": False} | marked(request, "extension")


@pytest.fixture
def server_config(request) -> dict[str, Any]:
    """Settings of the server: those of the marker ``server``; tests override this."""
    return marked(request, "server")


def marked(request: pytest.FixtureRequest, name: str) -> dict[str, Any]:
    marker = request.node.get_closest_marker(name)
    return {} if marker is None else marker.kwargs


@pytest.fixture
def jp_server_config(registry_directory, extension_config, server_config) -> Config:
    """Enable the extension on a server that requires login."""
    # The terminals extension warns about one of its own handlers.
    extensions = {"gpucluster": True, "jupyter_server_terminals": False}
    server = {"jpserver_extensions": extensions, "allow_unauthenticated_access": False, **server_config}
    return Config({"ServerApp": server, "GPUClusterExtension": extension_config})


@pytest.fixture
def extension(jp_serverapp) -> Any:
    return next(iter(jp_serverapp.extension_manager.extension_apps["gpucluster"]))


@pytest.fixture
def api(jp_fetch) -> Call:
    """Call the REST interface; returns status and JSON."""

    async def call(method: str, path: str, body: Any = None, *, raw: bytes | None = None, **params: str) -> Any:
        data = raw if raw is not None or body is None else json.dumps(body).encode()
        response = await jp_fetch(
            "gpucluster/api", path, method=method, body=data, params=params, allow_nonstandard_methods=True,
            raise_error=False, request_timeout=60,
        )  # fmt: skip
        assert response.headers["Content-Type"].startswith("application/json")
        return response.code, json.loads(response.body)

    return call


@pytest.fixture
def until(api) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Wait until the model of a cluster from REST meets a condition."""

    async def wait(cluster: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        model: dict[str, Any] = {}
        for _ in range(600):
            code, model = await api("GET", f"clusters/{cluster}")
            assert code == 200, model
            if condition(model):
                return model
            await asyncio.sleep(0.1)
        raise AssertionError(f"still {model}")

    return wait


@pytest.fixture
async def closing(jp_asyncio_loop) -> AsyncIterator[Callable[[Any], Any]]:
    """Close WebSockets and the like at the end of the test."""
    given: list[Any] = []

    def note(closable: Any) -> Any:
        given.append(closable)
        return closable

    yield note
    for closable in given:
        closable.close()
    # Lets the server see it before it is taken down.
    await asyncio.sleep(0.05)


@pytest.fixture
def jp_ws_fetch(unclosed_ws_fetch: Callable[..., Any], closing: Callable[[Any], Any]) -> Callable[..., Any]:  # noqa: F811
    """Open a WebSocket that is closed at the end of the test: one that is forgotten makes a later test fail."""

    async def fetch(*parts: str, **options: Any) -> Any:
        return closing(await unclosed_ws_fetch(*parts, **options))

    return fetch
