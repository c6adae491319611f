"""What ``ssh -L`` does, without ssh: whatever arrives at one port of this machine is handed on to another."""

from __future__ import annotations

import http.server
import socket
import threading
import urllib.request
from contextlib import ExitStack, suppress
from types import TracebackType

_LOOPBACK = "127.0.0.1"
_PATIENCE_SECONDS = 5.0


class Page:
    """A small web server on loopback, which stands for Jupyter on a node."""

    def __init__(self, text: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = http.server.HTTPServer((_LOOPBACK, 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Page:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Forwarder:
    """A port of loopback that leads to another one.

    Attributes
    ----------
    port : int
        The one to connect to.
    bytes_passed : int
        In both directions.
    """

    def __init__(self, to_port: int) -> None:
        self.bytes_passed = 0
        self._to = (_LOOPBACK, to_port)
        self._listener = socket.create_server((_LOOPBACK, 0))
        self._listener.settimeout(0.1)
        self.port: int = self._listener.getsockname()[1]
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True)]

    def __enter__(self) -> Forwarder:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join(_PATIENCE_SECONDS)
        self._listener.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            with suppress(TimeoutError):
                near, _ = self._listener.accept()
                self._carry(near)

    def _carry(self, near: socket.socket) -> None:
        with ExitStack() as stack:
            stack.enter_context(near)
            far = stack.enter_context(socket.create_connection(self._to, _PATIENCE_SECONDS))
            near.settimeout(_PATIENCE_SECONDS)
            back = threading.Thread(target=self._pump, args=(far, near), daemon=True)
            back.start()
            self._pump(near, far)
            back.join()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self.bytes_passed += len(part)
                target.sendall(part)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def page_at(port: int) -> str:
    """Return what a browser on this machine gets from a port."""
    with urllib.request.urlopen(f"http://{_LOOPBACK}:{port}/", timeout=_PATIENCE_SECONDS) as answer:
        text: str = answer.read().decode()
    return text
