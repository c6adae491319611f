"""A notebook of a learner: a kernel of the server's, and the cells of lesson 06 up to its loop."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

from gpucluster.lessons.catalogue import find_lesson
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from .server import Server

LESSON = "06"
LAST = "fit = None"
"""The cell that runs the loop on the photo."""
CONVERGED = "print(fit is not None and len(fit[0]) > 2)"
DEVICES = "lab.client.run(lambda: __import__('os').environ['CUDA_VISIBLE_DEVICES'].split(',')[0])"


def cells() -> list[str]:
    """Return the code of the lesson's solution, up to the loop."""
    lesson = find_lesson(LESSON)
    assert lesson is not None
    notebook = json.loads(lesson.solution_notebook.read_text())
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    end = next(number for number, text in enumerate(code) if LAST in text)
    return code[: end + 1]


CONNECTED_TIMES = 7


class Notebook:
    """One open notebook."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._socket: WebSocketClientConnection | None = None
        self._session = uuid.uuid4().hex
        self._path = ""

    async def open(self) -> None:
        """Copy the lesson as the panel does, and start its kernel."""
        await self._server.ask("POST", "/gpucluster/api/lessons/copy")
        body = {
            "path": "gpucluster-lessons/06-kmeans.ipynb", "name": "06-kmeans.ipynb", "type": "notebook",
            "kernel": {"name": "python3"},
        }  # fmt: skip
        session = await self._server.ask("POST", "/api/sessions", body)
        self._path = f"/api/sessions/{session['id']}"
        # Jupyter ends a connection whose kernel has not answered for a minute, and JupyterLab connects again.
        for _ in range(CONNECTED_TIMES):
            await self._connect(session["kernel"]["id"])
            try:
                await self.run("")
            except RuntimeError:
                continue
            return
        raise RuntimeError(f"The kernel of {self._server.account.name} does not respond.")

    async def _connect(self, kernel: str) -> None:
        url = f"ws://127.0.0.1:{self._server.port}/api/kernels/{kernel}/channels"
        headers = {"Authorization": f"token {self._server.token}"}
        self._socket = await websocket_connect(
            HTTPRequest(f"{url}?session_id={self._session}", headers=headers, connect_timeout=120, request_timeout=120),
            max_message_size=2**28,
        )

    async def run(self, code: str) -> str:
        """Run a cell; returns what it prints and its result."""
        assert self._socket is not None
        id = uuid.uuid4().hex
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        header = {
            "msg_id": id,
            "msg_type": "execute_request",
            "username": "",
            "session": self._session,
            "version": "5.3",
        }
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self._socket.write_message(json.dumps(message))
        said: list[str] = []
        while True:
            answer = await self._socket.read_message()
            if answer is None:
                raise RuntimeError(f"The kernel of {self._server.account.name} is gone.")
            told: dict[str, Any] = json.loads(answer)
            if told.get("parent_header", {}).get("msg_id") != id:
                continue
            match told["header"]["msg_type"]:
                case "stream":
                    said.append(told["content"]["text"])
                case "execute_result":
                    said.append(told["content"]["data"].get("text/plain", ""))
                case "error":
                    trace = "\n".join(told["content"]["traceback"])
                    raise RuntimeError(f"A cell of {self._server.account.name} failed:\n{code}\n{trace}")
                case "status" if told["content"]["execution_state"] == "idle":
                    return "".join(said)

    async def leave(self) -> None:
        """Close the connection; the kernel stays."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def shut_down(self) -> None:
        """End the kernel."""
        await self.leave()
        if self._path:
            await asyncio.wait_for(self._server.ask("DELETE", self._path), 60)
            self._path = ""
