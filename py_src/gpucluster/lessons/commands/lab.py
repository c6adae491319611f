"""``gpucluster lab``: JupyterLab with the lessons."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ...protocol.errors import GPUClusterError, MissingPackage
from ..catalogue import lessons
from ..copies import copy_lessons

FOLDER = "gpucluster-lessons"
WORKSPACE = "gpucluster"
"""JupyterLab's name for the layout in which `gpucluster lab` opens; other layouts of the user stay unchanged."""
LAYOUT = {
    "left": {"collapsed": False, "visible": True, "current": "gpucluster-panel", "widgets": ["gpucluster-panel"]},
    "relativeSizes": [0.25, 0.75, 0],
}


def workspace_path() -> str:
    """Return the path of JupyterLab's page on which the panel is open.

    The layout is written once; then JupyterLab keeps what the user makes of it. The page is JupyterLab's usual one if
    the layout cannot be written.
    """
    from jupyterlab.commands import get_workspaces_dir
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    manager = WorkspacesManager(get_workspaces_dir())
    try:
        if not manager.load(WORKSPACE)["data"]:
            metadata = {"id": WORKSPACE}
            manager.save(WORKSPACE, json.dumps({"data": {"layout-restorer:data": LAYOUT}, "metadata": metadata}))
    except (OSError, ValueError):  # Not writable, or damaged: JupyterLab reports that itself.
        return "/lab"
    return f"/lab/workspaces/{WORKSPACE}"


def lab_command(directory: Path, arguments: Sequence[str]) -> list[str]:
    """Copy the lessons that are missing and return the command that opens them.

    Parameters
    ----------
    directory : pathlib.Path
        JupyterLab's root; the lessons go into its folder ``gpucluster-lessons``. A learner's work that is
        there already is left alone.
    arguments : sequence of str
        Passed on to JupyterLab; they win over ours.
    """
    folder = directory / FOLDER
    command = [sys.executable, "-m", "jupyterlab"]
    try:
        copy_lessons(folder)
    except OSError as error:
        raise GPUClusterError(
            f"The lessons cannot be copied to {folder}: {error.strerror}. Start 'gpucluster lab' in a folder "
            "that you own."
        ) from error
    if folder.is_dir():
        command.append(f"--FileContentsManager.preferred_dir={folder}")
        first = next((lesson for lesson in lessons() if lesson.notebook.is_file()), None)
        if first is not None:
            path = (Path(FOLDER) / first.slug / first.notebook.name).as_posix()
            command.append(f"--LabApp.default_url={workspace_path()}/tree/{path}")
    return [*command, *arguments]


def run_lab(arguments: Sequence[str]) -> NoReturn:
    """Become JupyterLab.

    Raises
    ------
    MissingPackage
        When JupyterLab is not installed.
    """
    from importlib.util import find_spec

    if find_spec("jupyterlab") is None:
        raise MissingPackage("JupyterLab is not installed. Install it: pip install jupyterlab")
    command = lab_command(Path.cwd(), arguments)
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606  # the user's own arguments
