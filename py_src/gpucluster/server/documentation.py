"""``python -m gpucluster.server.documentation``: the settings of the server extension as a page."""

from __future__ import annotations

import re
import sys

from .extension import GPUClusterExtension

_PAGE = re.compile(r"docs/([\w-]+\.md)")
_INTRODUCTION = """# Configure the Jupyter server

```console
$ jupyter lab --GPUClusterExtension.standby=False
```

To make a setting permanent, put it into `jupyter_gpucluster_config.json` in a *config* folder of `jupyter --paths`:

```json
{"GPUClusterExtension": {"standby": false}}
```

The [site file](site.md) has settings for all interfaces, not only Jupyter. Users choose colours, pages and notices in
JupyterLab's *Settings*.

| Setting | Default | What it does |
|---|---|---|
"""


def page() -> str:
    rows = []
    for name, trait in sorted(GPUClusterExtension.class_own_traits(config=True).items()):
        help_text = _PAGE.sub(r"[\1](\1)", " ".join(trait.help.split()))
        rows.append(f"| `{name}` | `{trait.default_value_repr()}` | {help_text} |\n")
    return _INTRODUCTION + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(page())
