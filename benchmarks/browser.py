"""What a live view of a thousand workers costs the browser: ``python -m benchmarks.browser``.

The real panel in a real JupyterLab in Chromium shows a cluster whose scheduler, supervisor, server and event stream are
real and whose workers are simulated (``tests/fakes/cluster``). Scripting time is what Chromium's tracing calls so, on
the page's main thread, added up from one drawn frame to the next, which may be seconds: all of JupyterLab's scripts are
in it, an upper bound of ours. Between rests, it is what comes at once. The heap is measured after a collection of
garbage, at the start and all along.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import CDPSession, Page, WebSocket

from benchmarks.recording import record
from tests.browser.chromium import chromium, open_card, open_page, open_panel
from tests.browser.lab import jupyter
from tests.fakes.cluster.process import simulated_cluster

SCRIPTING = {
    "EvaluateScript", "EventDispatch", "FireAnimationFrame", "FireIdleCallback", "FunctionCall", "RunMicrotasks",
    "TimerFire", "v8.run",
}  # fmt: skip
"""Names of what Chromium's developer tools count as scripting, but for the collection of garbage …"""
COLLECTING = {"MajorGC", "MinorGC"}
"""… which V8 puts off to idle moments, and which walks through the heap of the whole page, JupyterLab's included."""
FRAME = "Commit"
"""Ends what the main thread does for one frame; what follows belongs to the next one."""
REST_MS = 50
"""After such a rest, scripts belong to the next frame, although nothing was drawn: there was nothing to draw."""
SETTLE_SECONDS = 20
HEAP_EVERY_SECONDS = 30


class Updates:
    """Counts the samples that the page receives: long events come packed, and only samples are long."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        self.bytes: list[int] = []
        page.on("websocket", self._follow)

    def _follow(self, socket: WebSocket) -> None:
        if "gpucluster/api/events" in socket.url:
            socket.on("framereceived", self._note)

    def _note(self, payload: str | bytes) -> None:
        if isinstance(payload, bytes) or '"telemetry"' in payload[:40]:
            self.count += 1
            self.bytes.append(len(payload))


@contextmanager
def traced(page: Page) -> Iterator[list[dict[str, Any]]]:
    """Give the events of a trace, once the block has ended."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda message: events.extend(message["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    categories = "devtools.timeline,disabled-by-default-devtools.timeline,blink.user_timing,v8,__metadata"
    session.send("Tracing.start", {"transferMode": "ReportEvents", "categories": categories})
    yield events
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(100)
    session.detach()


def frames_of(events: list[dict[str, Any]], names: set[str], rest_ms: float = math.inf) -> list[float]:
    """Return the milliseconds spent in such events from each frame to the next, on the busiest page's main thread.

    `rest_ms`: a pause of this length also ends a frame. Times are thread times, not wall-clock times: on a machine with
    other work, the clock counts that work too.
    """
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    threads = [[event for event in events if (event["pid"], event["tid"]) == main] for main in mains]
    longest: list[dict[str, Any]] = max(threads, key=lambda thread: len(thread))
    own = sorted(longest, key=lambda event: event.get("ts", 0))
    frames = [0.0]
    until = 0.0
    for event in own:
        if event["name"] == FRAME:
            frames.append(0.0)
        elif event["name"] in names and event.get("ph") == "X":
            # Scripts call scripts: count the outermost alone.
            if event["ts"] - until > 1000 * rest_ms:
                frames.append(0.0)
            if event["ts"] >= until:
                frames[-1] += event.get("tdur", event["dur"]) / 1000
            until = max(until, event["ts"] + event["dur"])
    return frames


def heap_of(session: CDPSession) -> dict[str, float]:
    """Return what lives after a collection of garbage."""
    session.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return {
        "heap_bytes": metrics["JSHeapUsedSize"],
        "nodes": metrics["Nodes"],
        "listeners": metrics["JSEventListeners"],
        "script_seconds": metrics["ScriptDuration"],
    }


def scripting(page: Page, updates: Updates, seconds: float) -> dict[str, Any]:
    """Trace for this long, and return the time of scripts and collections per frame."""
    before = updates.count
    with traced(page) as events:
        page.wait_for_timeout(seconds * 1000)
    # Frames without a script are the browser's animations.
    frames = [frame for frame in frames_of(events, SCRIPTING) if frame > 0.5]
    bursts = sorted(frames_of(events, SCRIPTING, REST_MS), reverse=True)
    collections = sorted(frames_of(events, COLLECTING), reverse=True)
    return {
        "updates_traced": updates.count - before,
        "scripting_ms_per_frame": {
            "frames": len(frames),
            "median": round(statistics.median(frames), 2) if frames else None,
            "longest": [round(frame, 2) for frame in sorted(frames, reverse=True)[:10]],
        },
        "scripting_ms_between_rests": [round(burst, 2) for burst in bursts[:10]],
        "collecting_ms_per_frame": [round(frame, 2) for frame in collections[:10]],
    }


def open_charts(page: Page) -> None:
    """Open the gauges over time, beside the panel."""
    page.keyboard.press("Control+Shift+c")
    label = "Show Gauges over Time"
    page.locator(".lm-CommandPalette-input").fill(label)
    page.locator(".lm-CommandPalette-item", has_text=label).first.click()
    page.get_by_role("region", name="Gauges over time").get_by_role("img", name="Host memory").wait_for()


def watch(page: Page, seconds: float, trace_seconds: float) -> dict[str, Any]:
    """Watch the panel for this long."""
    updates = Updates(page)
    page.reload()
    panel = open_panel(page)
    open_card(panel)
    button = panel.get_by_role("button", name="Workers", exact=True)
    button.wait_for()
    if button.get_attribute("aria-expanded") == "false":
        button.click()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.wait_for_timeout(SETTLE_SECONDS * 1000)

    card = scripting(page, updates, trace_seconds)
    with traced(page) as events:
        open_charts(page)
        open_panel(page)
        page.wait_for_timeout(SETTLE_SECONDS * 1000)
    opening = sorted(frames_of(events, SCRIPTING), reverse=True)[:10]
    charts = scripting(page, updates, trace_seconds)

    heaps = [heap_of(session)]
    first, started = updates.count, time.monotonic()
    while time.monotonic() - started < seconds:
        page.wait_for_timeout(min(HEAP_EVERY_SECONDS, max(1.0, seconds - (time.monotonic() - started))) * 1000)
        heaps.append(heap_of(session))
    seen = updates.count - first
    used = [heap["heap_bytes"] for heap in heaps]
    return {
        **card,
        "charts_too": {**charts, "opening_ms_per_frame": [round(frame, 2) for frame in opening]},
        "updates": seen,
        "script_ms_per_update": round(
            1000 * (heaps[-1]["script_seconds"] - heaps[0]["script_seconds"]) / max(1, seen), 2
        ),
        "sample_bytes": round(statistics.median(updates.bytes)) if updates.bytes else None,
        "seconds": seconds,
        "heap_bytes": used,
        "heap_growth": round(used[-1] / used[0] - 1, 4),
        "nodes": [heaps[0]["nodes"], heaps[-1]["nodes"]],
        "listeners": [heaps[0]["listeners"], heaps[-1]["listeners"]],
    }


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser", description=__doc__)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument(
        "--waiting", type=int, default=0, help="number of them that wait in a queue: workers are jobs then"
    )
    parser.add_argument("--per-host", type=int, default=8, help="workers on each host")
    parser.add_argument("--seconds", type=float, default=600, help="how long the heap is watched")
    parser.add_argument("--trace-seconds", type=float, default=60, help="how long frames are measured")
    options = parser.parse_args()
    with jupyter() as lab, chromium() as browser:
        environment = {**os.environ, "GPUCLUSTER_DIR": str(lab.directory / "registry")}
        slots = ["--workers", str(options.workers), "--per-host", str(options.per_host)]
        if options.waiting:
            slots += ["--arriving", str(options.workers - options.waiting), "--waiting", "Resources, expected 14:20"]
        simulation = (*slots, "--gpus", "--past")
        with simulated_cluster(*simulation, environment=environment):
            page = open_page(browser, lab)
            open_panel(page)
            figures = watch(page, options.seconds, options.trace_seconds)
    shape = {"workers": options.workers, "waiting": options.waiting, "per_host": options.per_host}
    figures = {**shape, **figures}
    record(figures, name="browser", packages=["distributed", "jupyterlab"])


if __name__ == "__main__":
    main()
