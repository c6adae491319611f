"""Which notebook a kernel's process belongs to."""

from __future__ import annotations

from typing import Any


async def notebooks_by_pid(session_manager: Any, kernel_manager: Any) -> dict[int, str]:
    """Return the paths of the open notebooks and consoles by the process id of their kernel.

    Kernels that run elsewhere, or through a provisioner that tells no process id, are left out.

    Parameters
    ----------
    session_manager, kernel_manager
        Jupyter's own.
    """
    found: dict[int, str] = {}
    for session in await session_manager.list_sessions():
        kernel_id, path = (session.get("kernel") or {}).get("id"), session.get("path")
        if not kernel_id or not path or kernel_id not in kernel_manager:
            continue
        pid = getattr(getattr(kernel_manager.get_kernel(kernel_id), "provisioner", None), "pid", None)
        if isinstance(pid, int) and pid > 0:
            found[pid] = str(path)
    return found
