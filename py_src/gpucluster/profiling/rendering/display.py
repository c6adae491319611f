"""Show a report: in a notebook with a timeline to zoom into, elsewhere as text.

BokehJS is sent to the page, not fetched from the network, and not saved: the output is then replaced by the report
itself, with a static picture for pages without BokehJS, such as a saved notebook.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from functools import cache
from html import escape
from typing import Any
from uuid import uuid4

from ..model import ReportFigures
from .text import report_html, report_text
from .timeline import FOREGROUND, timeline_figure, timeline_svg

_WAIT_MILLISECONDS = 15_000
_SETTLE_MILLISECONDS = 100  # After a change of theme, until its colours are final.

_LOADER = """<div style="color:var(--jp-content-font-color1, inherit);opacity:0.7">Preparing the timeline …</div>
<script type="text/javascript">
(async () => {
  const version = %(version)s;
  if (window.Bokeh && (window.Bokeh.version === version || window.Bokeh[version])) { return; }
  if (typeof DecompressionStream === "undefined") { return; }
  const bytes = Uint8Array.from(atob("%(code)s"), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
})();
</script>"""

_FIGURE = """<div id="%(id)s" class="gpucluster-timeline">%(fallback)s</div><script type="text/javascript">
(async () => {
  const version = %(version)s, until = Date.now() + %(wait)d;
  const found = () => window.Bokeh && (window.Bokeh.version === version ? window.Bokeh : window.Bokeh[version]);
  while (!found() && Date.now() < until) { await new Promise(next => setTimeout(next, 100)); }
  const place = document.getElementById("%(id)s");
  if (!found() || !place) { return; }
  const target = document.createElement("div");
  target.id = "%(id)s-live";
  place.before(target);
  const colour = () => {
    const channels = getComputedStyle(target).color.match(/[0-9]+/g) || [127, 127, 128];
    return "#" + channels.slice(0, 3).map(part => Number(part).toString(16).padStart(2, "0")).join("");
  };
  let shown = colour();
  let views;
  try {
    const item = JSON.parse(JSON.stringify(%(item)s).replaceAll("%(foreground)s", shown));
    views = await found().embed.embed_item(item, target.id);
    place.remove();
  } catch (error) {
    target.remove();
    return;
  }
  // What is painted does not follow a change of theme automatically.
  const models = [...views].flatMap(view => [...view.model.references()]);
  const repaint = () => {
    if (!target.isConnected) { themes.disconnect(); return; }
    const wanted = colour();
    if (wanted === shown) { return; }
    for (const model of new Set(models)) {
      const changed = {};
      for (const property of model) {
        if (property.is_unset || !property.attr.endsWith("_color")) { continue; }
        const given = property.get_value();
        if ((given && given.value !== undefined ? given.value : given) === shown) { changed[property.attr] = wanted; }
      }
      if (Object.keys(changed).length) { model.setv(changed); }
    }
    shown = wanted;
  };
  const themes = new MutationObserver(() => setTimeout(repaint, %(settle)d));
  themes.observe(document.body, { attributes: true });
  themes.observe(document.head, { childList: true });
})();
</script>"""


def show(report: ReportFigures, *, timeline: bool, notebook: bool) -> None:
    """Display a report, in notebooks as HTML, else as text."""
    if not notebook:
        sys.stdout.write(report_text(report) + "\n")
        return
    from IPython.display import display, update_display

    text = {"text/plain": report_text(report)}
    if not timeline or not report.timeline_data.blocks:
        picture = "" if not timeline else None
        display(text | {"text/html": report_html(report, timeline=picture)}, raw=True)  # type: ignore[no-untyped-call]
        return
    place = uuid4().hex
    loader = _LOADER % {"version": json.dumps(_version()), "code": _bokeh_code()}
    display(text | {"text/html": loader}, raw=True, display_id=place)  # type: ignore[no-untyped-call]
    body = text | {"text/html": report_html(report, timeline=live_timeline(report))}
    update_display(body, raw=True, display_id=place)  # type: ignore[no-untyped-call]


def live_timeline(report: ReportFigures) -> str:
    """Return the timeline as HTML: a static picture, and a script that replaces it if BokehJS is loaded."""
    from bokeh.embed import json_item

    item: Any = json_item(timeline_figure(report))
    # A kind of task may have any name, even '</script>'.
    written = json.dumps(item).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return _FIGURE % {
        "id": escape(f"gpucluster-timeline-{uuid4().hex}"),
        "fallback": timeline_svg(report),
        "version": json.dumps(_version()),
        "wait": _WAIT_MILLISECONDS,
        "item": written,
        "foreground": FOREGROUND,
        "settle": _SETTLE_MILLISECONDS,
    }


def _version() -> str:
    from bokeh import __version__

    return __version__.split("+")[0]


@cache
def _bokeh_code() -> str:
    """Return BokehJS, compressed, with only what the figure needs (no widgets, no tables, no WebGL)."""
    from bokeh.resources import Resources

    code = "\n".join(Resources(mode="inline", components=["bokeh"], log_level="fatal").js_raw)
    return base64.b64encode(gzip.compress(code.encode(), 9)).decode()
