"""Whether a file can be a kubeconfig, looked at before kr8s stumbles over one that cannot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ...operating_system.plain_file import NotPlain, read_plain_file
from ...protocol.plain_text import printable
from ...protocol.yaml_size import TooManyEntries, must_be_bounded

MOST_BYTES = 2**22
_DEFAULT = "~/.kube/config"
_PARTS = ("clusters", "contexts", "users")
_WHAT_TO_DO = "Get one from your site, or name another with 'kubeconfig'."


def kubeconfig_fault(paths: str | None) -> str | None:
    """Return what is wrong with the files that there are, in a sentence with what to do; ``None``: nothing.

    Parameters
    ----------
    paths : str, optional
        As ``KUBECONFIG`` has them, with ``:`` between them; default: ``~/.kube/config``. One that is not there is no
        fault: others may be, or a pod's service account.
    """
    for path in (paths or _DEFAULT).split(os.pathsep):
        file = Path(path).expanduser()
        if not path or not file.exists():
            continue
        told = printable(str(file), 300)
        try:
            text = read_plain_file(file, MOST_BYTES).decode()
            must_be_bounded(yaml.compose(text, Loader=yaml.SafeLoader))
            data = yaml.safe_load(text)
        except NotPlain as error:
            return f"The kubeconfig {told} {error}. {_WHAT_TO_DO}"
        except OSError as error:
            return f"The kubeconfig {told} cannot be read ({error.strerror}). {_WHAT_TO_DO}"
        except TooManyEntries as error:
            return f"The kubeconfig {told} cannot be used: {error}. {_WHAT_TO_DO}"
        except (ValueError, RecursionError, yaml.YAMLError):
            return f"The kubeconfig {told} is not YAML. {_WHAT_TO_DO}"
        if data is None:
            return f"The kubeconfig {told} is empty. {_WHAT_TO_DO}"
        if fault := _form_fault(data):
            return f"The file {told} is no kubeconfig: {fault}. {_WHAT_TO_DO}"
    return None


def _form_fault(data: Any) -> str | None:
    if not isinstance(data, dict):
        return "it has no keys"
    for part in _PARTS:
        entries = data.get(part)
        if entries is not None and not (
            isinstance(entries, list) and all(isinstance(one, dict) and "name" in one for one in entries)
        ):
            return f"'{part}' in it must be a list of entries with a name"
    return None if any(data.get(part) for part in _PARTS) else f"it has none of {', '.join(_PARTS)}"
