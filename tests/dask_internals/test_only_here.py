"""Only ``dask_internals`` uses undocumented parts of Dask. Each has a canary, and is reported where Dask lacks it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from gpucluster.dask_internals import untested

from tests.modules import modules as all_modules

PACKAGE = Path(__file__).resolve().parents[2] / "py_src" / "gpucluster"
INTERNALS = PACKAGE / "dask_internals"
SENT = {"backends/ssh/agent.py", "backends/ssh/remote_gpus.py"}
"""Run on hosts without gpucluster. The backend's tests run them with each version of Dask."""

DOCUMENTED = {
    "bokeh": None,
    "dask": {"annotate", "compute", "config", "delayed", "persist"},
    "dask.array": None,
    "dask.array.core": {"normalize_chunks"},
    "dask.base": {"annotate", "compute", "is_dask_collection", "optimize", "persist"},
    "dask.callbacks": {"Callback"},
    "dask.config": None,
    "dask.dataframe": None,
    "dask.delayed": {"Delayed", "delayed"},
    "dask.highlevelgraph": {"HighLevelGraph"},
    "dask.sizeof": {"sizeof"},
    "dask.utils": {"format_bytes", "parse_bytes", "parse_timedelta"},
    "dask_cuda": {"LocalCUDACluster"},
    "distributed": {
        "Client", "Future", "Lock", "LocalCluster", "Nanny", "Scheduler", "SchedulerPlugin", "Security", "Semaphore",
        "SpecCluster", "Variable", "Worker", "WorkerPlugin", "as_completed", "default_client", "fire_and_forget",
        "futures_of", "get_client", "get_worker", "performance_report", "secede", "wait", "worker_client",
    },
    "distributed.comm.addressing": {"parse_address"},
    "distributed.comm.core": {"Comm", "Connector", "connect"},
    "distributed.comm.registry": {"Backend", "get_backend"},
    "distributed.scheduler": {"KilledWorker", "TaskState", "WorkerState"},
    "distributed.security": {"Security"},
}  # fmt: skip
"""Names in Dask's manual, by module (None: all names). Only ``dask_internals`` imports others."""

UNDOCUMENTED = {
    "allowed_failures", "asyncio_loop", "client_comms", "connection_args", "constrained", "device_buffer",
    "digests_total", "disk_func_path", "executing_count", "extensions", "gpu_memory_total", "handle_stream",
    "host_buffer", "http_application", "http_server", "listeners", "memory_manager", "memory_monitor",
    "no_recipients", "periodic_callbacks", "range_query", "register_worker_plugin", "replicated_tasks",
    "retire_workers", "scheduler_comm", "scheduler_delay", "scheduler_spec", "spilled_total", "stream_comms",
    "stream_handlers", "task_prefixes", "tcp_server", "transfer_incoming_log", "transfer_outgoing_bytes_total",
    "transfer_outgoing_count_total", "transfer_outgoing_log", "transition_counter", "transition_log", "unrunnable",
    "wants_what", "worker_plugins", "worker_spec",
}  # fmt: skip
"""Public-looking names of Dask that its manual does not describe."""
PRIVATE = {
    "_adaptive", "_chunks", "_correct_state", "_created", "_forkserver_preload_set", "_handle_report", "_instances",
    "_meta", "_name", "_send_to_scheduler",
}  # fmt: skip
"""Private names of Dask objects, although other objects may have them too."""
OF_OTHERS = {
    "cli/arguments.py": {"_actions", "_get_value", "_group_actions", "_option_string_actions"},  # argparse
    "learn/cluster/kmeans.py": {"_n_threads"},  # scikit-learn
    "learn/delegation/methods.py": {"_delegate", "_fitted_on", "_label_type"},  # our own, set by name
    "learn/neural_network/mlp.py": {"_label_binarizer"},  # scikit-learn
    "learn/preprocessing/encoders.py": {  # scikit-learn
        *("_check_infrequent_enabled", "_compute_n_features_outs", "_fit_infrequent_category_mapping"),
        *("_n_features_outs", "_set_drop_idx"),
    },
    "lessons/figures/drawing.py": {"constrained"},  # matplotlib
    "lessons/grading/remote/objects.py": {"_update_inplace"},  # pandas
    "lessons/grading/runner/kernel_session.py": {"_kernel_spec"},  # jupyter_client
    "operating_system/processes.py": {"_ident"},  # psutil
    "magics/__init__.py": {"_getframe", "_ipython_magic_no_var_expand"},  # Python, IPython
    "recordings/reading.py": {"_Decompress"},  # zlib
    # atexit, multiprocessing
    "supervisor/process/preloading.py": {"_clear", "_config", "_forkserver", "_resource_tracker", "_run_exitfuncs"},
    "supervisor/process/warmup.py": {
        *("_config", "_forkserver", "_forkserver_address", "_forkserver_pid", "_pid", "_resource_tracker")
    },
}
"""Private names of other libraries."""


def modules() -> Iterator[Path]:
    for path in all_modules():
        parts = path.relative_to(PACKAGE).parts
        if parts[0] != "dask_internals" and "/".join(parts) not in SENT:
            yield path


@cache
def own_names() -> set[str]:
    """Return the private names that this package defines itself."""
    found: set[str] = set()
    for path in all_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                # Attributes set on other objects may be another library's.
                if isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
                    found.add(node.attr)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.Assign):
                found.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return found


OF_PYTHON = {"_asdict", "_exit", "_fields", "_make", "_replace"}


def private(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield a module's uses of undocumented parts of Dask."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            hidden = (
                node.attr.startswith("_") and not node.attr.startswith(("__", "_gpucluster")) and node.attr not in known
            )
            if hidden or node.attr in UNDOCUMENTED - known or (node.attr in PRIVATE and not own):
                yield f"line {node.lineno}: .{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in UNDOCUMENTED - known:
            yield f"line {node.lineno}: {node.value!r}"
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"line {node.lineno}: {name}" for name in _imported(node.module or "", node.names))
        elif isinstance(node, ast.Import):
            yield from (f"line {node.lineno}: {name}" for name in _imported("", node.names))


def _imported(module: str, aliases: list[ast.alias]) -> Iterator[str]:
    allowed = DOCUMENTED.get(module, set())
    for alias in aliases:
        name = f"{module}.{alias.name}".lstrip(".")
        if (
            name.split(".")[0] in THEIRS
            and allowed is not None
            and alias.name not in allowed
            and name not in DOCUMENTED
        ):
            yield name


THEIRS = {"dask", "dask_cuda", "distributed"}


def test_only_dask_internals_uses_undocumented_names():
    known = own_names() | OF_PYTHON
    found = {}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        touched = list(private(ast.parse(path.read_text(encoding="utf-8")), known | OF_OTHERS.get(name, set())))
        if touched:
            found[name] = touched
    assert not found, "use a function of gpucluster.dask_internals, or add one with its canary"


@pytest.mark.parametrize(
    "code",
    [
        "worker.transfer_incoming_log", "cluster._correct_state()", "getattr(worker, 'digests_total')",
        "from distributed.core import Status", "from distributed.shuffle._core import ShuffleRun",
        "import distributed.utils", "from dask.core import flatten",
    ],
)  # fmt: skip
def test_undocumented_use_is_found(code):
    assert list(private(ast.parse(code), own_names() | OF_PYTHON))


def test_every_function_has_a_canary():
    tested = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = set(re.findall(r"\w+", tested))
    missing = set()
    for path in INTERNALS.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name[0] != "_":
                missing |= {f"{path.stem}.{node.name}"} if node.name not in named else set()
    # Canaries see these as return values.
    assert missing <= {"memory.SpilledBytes", "following.FollowedLog"}


@pytest.mark.parametrize("error", [AttributeError("'Worker' object has no attribute 'nothing'"), AssertionError()])
def test_canary_failure_has_explanation(error, canary):
    with pytest.raises(pytest.fail.Exception, match="has no Worker.nothing any more, or it works in another"):
        with canary("Worker.nothing"):
            raise error


def test_docstrings_name_what_they_rely_on():
    silent = []
    for path in INTERNALS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        whole = ast.get_docstring(tree) or ""
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                own = ast.get_docstring(node) or ""
                if "``" not in own and "``" not in whole:
                    silent.append(f"{path.stem}.{node.name}")
    assert set(silent) <= {"following.shard_bytes"}, "that function does not use Dask"


@pytest.mark.processes
def test_importing_it_imports_no_dask(in_new_process):
    """Only a module that derives from a class of Dask needs Dask at import."""
    names = [
        ".".join(("gpucluster", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in INTERNALS.rglob("*.py")
        if path.stem not in {"clients", "started_elsewhere", "comm_parts"}
    ]
    code = f"import {', '.join(names)}\nimport sys\nprint(*(name for name in sys.modules if '.' not in name))"
    assert not {"bokeh", "dask", "distributed", "numpy", "psutil", "pydantic", "tornado"} & set(
        in_new_process(code).split()
    )


SOURCE = '''
from distributed.core import Status, gone_from_core
from dask.gone import anything
import distributed.utils

def one(scheduler):
    """Relies on ``Scheduler.clients``, ``Scheduler.gone_attribute`` and ``WorkerState.processing``."""
    from distributed.worker import get_data_from_worker
'''


@pytest.fixture(autouse=True)
def _nothing_is_cached() -> Iterator[None]:
    untested.missing_names.cache_clear()
    yield
    untested.missing_names.cache_clear()


def test_the_dask_of_the_tests_has_everything() -> None:
    assert untested.missing_names() == ()
    assert len(untested._imported_names()) > 50
    assert len(untested._named_attributes()) > 80
    assert ("Nanny", "process") in untested._named_attributes(), "subfolders are not read"


def test_missing_names_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untested, "_sources", lambda: iter([SOURCE]))
    gone = "Scheduler.gone_attribute", "dask.gone.anything", "distributed.core.gone_from_core"
    assert untested.missing_names() == gone


def test_a_dask_without_sources_lacks_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(untested, "_folder", lambda package: tmp_path)
    assert "distributed.core.Status" in untested.missing_names()
