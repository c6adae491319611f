"""What a cluster takes over from the process that requests it: environment variables and the directory."""

import logging
import os
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, field_validator

from ...backends.environment import add_directory, forget_directory, take_directories, take_given, taken_directories
from ...operating_system import end_descendants
from ...operating_system.files import everybody_may_fill
from ...protocol.plain_text import printable
from .preloading import spare_where_many_share

NOT_IMPORTED = (
    "Workers import no modules from {}: any user of this machine can put files there. Create the cluster in one of "
    "your own folders."
)

DELETED = "The folder {} was deleted. Workers that start from now on work in {}, and import no modules from it."


class Adoption(BaseModel, extra="forbid"):
    """What a standby receives when it becomes a cluster. The spec is in the record."""

    cwd: str
    environment: dict[str, str]

    @field_validator("cwd")
    @classmethod
    def _usable_directory(cls, cwd: str) -> str:
        if "\0" in cwd or not os.path.isabs(cwd) or not Path(cwd).is_dir() or not os.access(cwd, os.X_OK):
            raise ValueError("must be the absolute path of a directory that you may enter")
        return cwd

    @field_validator("environment")
    @classmethod
    def _usable_variables(cls, environment: dict[str, str]) -> dict[str, str]:
        for name, value in environment.items():
            if not name or "=" in name or "\0" in name + value:
                raise ValueError(f"the value of {name[:40]!r} is not allowed in an environment variable")
        try:
            for text in (*environment, *environment.values()):
                os.fsencode(text)
        except UnicodeEncodeError:
            raise ValueError("must be text that this system can encode") from None
        return environment


def apply_environment(environment: dict[str, str]) -> None:
    """Take over the environment of the process that requests the cluster, for this process and its workers."""
    import dask

    environment = dict(environment)
    take_given(environment)
    take_directories(environment)
    different = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    os.environ.clear()
    os.environ.update(environment)
    end_descendants.mark()
    spare_where_many_share()
    if different:
        dask.config.set({"distributed.nanny.environ": {**dask.config.get("distributed.nanny.environ"), **different}})


def enter(directory: str) -> str | None:
    """Change to that directory, and import modules from it and from those that were taken, as the notebook does.

    Workers inherit both when they are forked, and the scheduler reads tasks that name functions of such modules. Call
    it after all imports: an optional package of a library that is not installed must not be found here. The directory
    comes last on the path, so that a file in it cannot replace an installed module either. Nothing is imported from a
    directory that every user may write to, such as /tmp: Dask looks for optional packages at any moment, and would run
    what a stranger has put there.

    Returns a warning where modules are not imported from it.
    """
    with suppress(OSError):
        os.chdir(directory)
    warning = None
    for place in dict.fromkeys([*taken_directories(), directory]):  # In the order of the caller's path.
        with suppress(OSError):  # It is missing: another user could create it later.
            if not everybody_may_fill(place):
                add_directory(place)
            elif place == directory:
                warning = NOT_IMPORTED.format(printable(place, 200))
            else:
                logging.warning("Workers import no modules from %s: any user can put files there.", printable(place))
    return warning


def leave_if_deleted(directory: str) -> str | None:
    """Change to the home directory once the working directory was deleted, where no worker could start any more.

    Nothing is imported from it either: another user may have created one of the same name. Returns a warning, once.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        home = Path.home()
        os.chdir(home if home.is_dir() and os.access(home, os.X_OK) else "/")
        forget_directory(directory)
        return DELETED.format(printable(directory, 200), os.getcwd())
    return None
