"""``python -m gpucluster.server.documentation``: the settings of the server extension as a page."""

from __future__ import annotations

import re
import sys

from .extension import GPUClusterExtension

_PAGE = re.compile(r"docs/([\w-]+\.md)")
_INTRODUCTION = """# Settings of the Jupyter server

What an administrator, or whoever starts Jupyter, can set. Each is an option of `jupyter lab`
(`--GPUClusterExtension.standby=False`) and a line of a file: in `jupyter_gpucluster_config.json`, in one of the folders
that `jupyter --paths` names under *config*:

```json
{"GPUClusterExtension": {"standby": false}}
```

What holds in every face, and not in Jupyter alone, is in the [site's file](site.md). What people choose for themselves,
such as colours, pages and notices, is in JupyterLab's *Settings*.

| Setting | Default | What it does |
|---|---|---|
"""


def page() -> str:
    """Return the page as Markdown."""
    rows = []
    for name, trait in sorted(GPUClusterExtension.class_own_traits(config=True).items()):
        told = _PAGE.sub(r"[\1](\1)", " ".join(trait.help.split()))
        rows.append(f"| `{name}` | `{trait.default_value_repr()}` | {told} |\n")
    return _INTRODUCTION + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(page())
