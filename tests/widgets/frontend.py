"""A real kernel and a minimal front end: outputs, widget models, and messages to them."""

import json
import queue
import time
from collections.abc import Callable
from typing import Any

from tests.kernel import Kernel

WIDGET = "application/vnd.jupyter.widget-view+json"
PATIENCE_SECONDS = 90.0


class FrontEnd(Kernel):
    """A kernel, the outputs of its cells, and the models of its widgets."""

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[str, dict[str, Any]] = {}
        self.received: list[tuple[str, dict[str, Any], list[bytes]]] = []
        """Messages of widgets: model id, data, buffers."""
        self.closed: list[str] = []
        self.outputs: list[dict[str, Any]] = []
        """All outputs with updates of displays applied."""
        self.said: list[dict[str, Any]] = []
        """Streams and errors."""

    # -- cells ---------------------------------------------------------------------------------------

    def run(self, code: str) -> list[dict[str, Any]]:
        """Run a cell that must not fail; return its outputs."""
        before = len(self.outputs)
        self.said.clear()
        self.client.execute_interactive(code, timeout=150, output_hook=self._take, store_history=False)
        assert [message for message in self.said if "traceback" in message] == []
        return self.outputs[before:]

    def text(self, code: str, stream: str = "stdout") -> str:
        self.run(code)
        return "".join(message["text"] for message in self.said if message.get("name") == stream)

    # -- widgets -------------------------------------------------------------------------------------

    def view(self, code: str) -> str:
        """Run a cell that shows a widget; return the id of its model."""
        (output,) = self.run(code)
        model: str = output["data"][WIDGET]["model_id"]
        return model

    def say(self, model: str, data: Any) -> None:
        message = self.client.session.msg("comm_msg", {"comm_id": model, "data": data})
        self.client.shell_channel.send(message)

    def request(self, model: str, **content: Any) -> None:
        """Send a message of our views."""
        self.say(model, {"method": "custom", "content": content})

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Read messages until a condition holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := condition()):
            assert time.monotonic() < deadline, what or "did not happen"
            self.read(0.1)
        return found

    def read(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                self._take(self.client.get_iopub_msg(timeout=left))
            except queue.Empty:
                return

    def samples(self, model: str) -> int:
        return sum(1 for id, data, _ in self.received if id == model and data.get("buffer_paths") == [["sample"]])

    def pictures(self, model: str) -> list[str]:
        contents = [data.get("content", {}) for id, data, _ in self.received if id == model]
        return [content["html"] for content in contents if content.get("kind") == "picture"]

    # -- the end -------------------------------------------------------------------------------------

    def shut_down(self) -> None:
        """End the kernel like a front end, and read its last messages."""
        self.client.shutdown()
        self.until(lambda: not self.manager.is_alive(), "the kernel did not end")
        self.read(1)

    def _take(self, message: dict[str, Any]) -> None:
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "comm_open":
            self.models[content["comm_id"]] = dict(content["data"]["state"])
        elif kind == "comm_msg":
            data = content["data"]
            self.received.append((content["comm_id"], data, [bytes(buffer) for buffer in message["buffers"]]))
            state = self.models.setdefault(content["comm_id"], {})
            state.update(data.get("state", {}))
            for path, buffer in zip(data.get("buffer_paths", ()), message["buffers"], strict=False):
                state[path[0]] = json.loads(bytes(buffer) or b"null") if len(path) == 1 else None
        elif kind == "comm_close":
            self.closed.append(content["comm_id"])
        elif kind in {"display_data", "execute_result"}:
            self.outputs.append({"updates": 0, **content})
        elif kind == "update_display_data":
            for output in self.outputs:
                if output.get("transient") == content["transient"]:
                    output["data"] = content["data"]
                    output["updates"] += 1
        elif kind in {"stream", "error"}:
            self.said.append(content)
