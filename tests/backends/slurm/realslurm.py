"""A real Slurm on loopback: munged, slurmctld and several slurmd of the distribution's packages, in a scratch folder.

Of the system, only the programs are used: keys, state, ports and configuration are separate. GPUs are device files
without a driver; Slurm allocates them as it does with real ones.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from tests.backends.packages import installed
from tests.backends.seen import marked_processes
from tests.otheruser import open_to_others

PACKAGES = ("slurm-wlm", "munge")
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel", "sinfo")
NODES = 3
APART = 2  # Number of further nodes, without storage shared with this machine or each other.
CORES = 4
GPUS = 2
NODE_MEMORY_MB = 8000

_CONFIGURATION = """\
ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
SlurmctldPort={controller_port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdSpoolDir={folder}/spool/%n
TmpFS={folder}/tmp/%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill,UsePss
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=2
MinJobAge=300
InactiveLimit=0
GresTypes=gpu
NodeName=n[1-{all_nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_port}-{last_port}] CPUs={cores} Boards=1 \
SocketsPerBoard=1 CoresPerSocket={cores} ThreadsPerCore=1 RealMemory={memory} \
Gres=gpu:fake:{gpus} Feature=loop State=UNKNOWN
PartitionName=main Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE DefMemPerCPU=500 PriorityTier=1 State=UP
PartitionName=short Nodes=n1 MaxTime=00:30:00 DefaultTime=00:05:00 DefMemPerCPU=500 PriorityTier=1 State=UP
PartitionName=urgent Nodes=n[1-{nodes}] MaxTime=01:00:00 DefMemPerCPU=500 PriorityTier=9 State=UP
PartitionName=whole Nodes=n[1-{nodes}] MaxTime=01:00:00 DefMemPerCPU=500 PriorityTier=1 OverSubscribe=EXCLUSIVE State=UP
"""
_APART_PARTITION = """\
PartitionName=apart Nodes=n[{first_apart}-{all_nodes}] MaxTime=01:00:00 DefMemPerCPU=500 PriorityTier=1 State=UP
"""
_APART = """
mount -t tmpfs -o mode=1777 none /mnt && mkdir "/mnt/$1" && mount --rbind "/tmp/$1" "/mnt/$1" || exit 1
mount --move /mnt /tmp && shift && exec "$@"
"""
"""Gives a node a separate /tmp, which contains only the folder of this Slurm."""


def require_installed() -> None:
    """Install the packages if they are missing and this process may. Raises `NotInstalled`."""
    installed(PACKAGES, _installed)


def _may_mount() -> bool:
    """Whether a process may have a separate file system, which is forbidden in some containers."""
    command = ["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/mnt"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


def _installed() -> bool:
    if os.geteuid() != 0:
        return False  # The daemons here run as root; jobs of several users could not be started otherwise.
    return all(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") for name in PROGRAMS)


class RealSlurm:
    """One Slurm with its daemons. ``start`` it, and ``stop`` it in any case."""

    def __init__(self) -> None:
        # Not tmp_path: the path of munge's socket must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="gpcslurm", dir="/tmp"))
        self.folder.chmod(0o755)  # Other users' jobs are served, too.
        self.configuration = self.folder / "slurm.conf"
        self.nodes = [f"n{number}" for number in range(1, NODES + (APART if _may_mount() else 0) + 1)]
        self.apart = self.nodes[NODES:]
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))},
            "SLURM_CONF": str(self.configuration),
            "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
            "LC_ALL": "C",
        }

    # -- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the daemons and wait until all nodes are idle."""
        self._write()
        munge = self.folder / "munge"
        self._daemon(
            "munged", f"--socket={munge}/socket", f"--key-file={munge}/munge.key", f"--pid-file={munge}/munged.pid",
            f"--log-file={munge}/munged.log", f"--seed-file={munge}/seed", "--num-threads=2", "--force",
        )  # fmt: skip
        self.start_controller("-c")
        for node in self.nodes:
            self.start_node(node)
        deadline = time.monotonic() + 60
        while self.ask(
            "sinfo", "-h", "-N", "-p", ",".join(["main"] + ["apart"] * bool(self.apart)), "-o", "%T"
        ).split() != ["idle"] * len(self.nodes):
            if time.monotonic() > deadline:
                raise AssertionError(f"Slurm did not start: {self.ask('sinfo', '-N', '-o', '%N %T %E')}")
            time.sleep(0.1)

    def start_controller(self, *options: str) -> None:
        """Start slurmctld, or restart it."""
        self._daemon("slurmctld", *options, "-f", str(self.configuration))

    def start_node(self, node: str) -> None:
        """Start the slurmd of a node, or restart it."""
        apart = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _APART, "sh", self.folder.name]
        command = [*(apart if node in self.apart else []), "slurmd", "-N", node, "-f", str(self.configuration)]
        self._daemon(*open_to_others(), *command)

    def temporary(self, node: str) -> Path:
        """Return the /tmp that the jobs of a node see, through the mount namespace of its slurmd."""
        pid = (self.folder / f"slurmd.{node}.pid").read_text().strip()
        return Path("/proc", pid, "root", "tmp")

    def stop_controller(self) -> None:
        _end(self._pids("slurmctld.pid"), signal.SIGTERM)

    def stop(self) -> None:
        """End all jobs and daemons, and delete everything."""
        # Starts nothing: it may be the end of a test that must not.
        _end(self._pids("slurmctld.pid") + self._pids("slurmd.*.pid"), signal.SIGTERM)
        _end(self._of_jobs(), signal.SIGKILL)
        _end(self._pids("munge/munged.pid"), signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- using it --------------------------------------------------------------------------------

    def ask(self, *command: str, patience: float = 30) -> str:
        """Run a command of Slurm; return its output, whether it succeeds or not."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=patience, check=False
        )
        return done.stdout

    def jobs(self, part: str = "") -> list[str]:
        """Return the names of all jobs that wait, run or are ending and have this part in their names."""
        return [name for name in self.ask("squeue", "-h", "-o", "%j").split() if part in name]

    # -- starting it -----------------------------------------------------------------------------

    def _write(self) -> None:
        by_node = [f"{kind}/{node}" for kind in ("spool", "tmp") for node in self.nodes]
        for name in ("state", "munge", "log", "dev", *by_node):
            (self.folder / name).mkdir(parents=True, mode=0o755)
        key = self.folder / "munge" / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        for number in range(GPUS):
            os.mknod(self.folder / "dev" / f"nvidia{number}", 0o020666, os.makedev(1, 3))  # As /dev/null.
        devices = f"{self.folder}/dev/nvidia[0-{GPUS - 1}]"
        (self.folder / "gres.conf").write_text(f"Name=gpu Type=fake Flags=nvidia_gpu_env File={devices}\n")
        ports = _free_ports(len(self.nodes) + 1)
        configuration = _CONFIGURATION + (_APART_PARTITION if self.apart else "")
        self.configuration.write_text(
            configuration.format(
                host=socket.gethostname().partition(".")[0],
                folder=self.folder,
                controller_port=ports[-1],
                nodes=NODES,
                first_apart=NODES + 1,
                all_nodes=len(self.nodes),
                first_port=ports[0],
                last_port=ports[len(self.nodes) - 1],
                cores=CORES,
                memory=NODE_MEMORY_MB,
                gpus=GPUS,
            )
        )

    def _daemon(self, *command: str) -> None:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, f"{command[0]}: {done.stderr}"

    def _of_jobs(self) -> list[int]:
        """Return the processes of jobs that are left, and of their monitors."""
        found = marked_processes("SLURM_CONF", str(self.configuration))
        return [one.pid for one in found if one.pid != os.getpid() and "SLURM_JOB_ID" in _environment(one)]

    def _pids(self, pattern: str) -> list[int]:
        found = []
        for path in self.folder.glob(pattern):
            with suppress(OSError, ValueError):
                found.append(int(path.read_text()))
        return found


def _environment(process: psutil.Process) -> dict[str, str]:
    with suppress(psutil.Error, OSError):
        return process.environ()
    return {}


def _end(pids: list[int], number: signal.Signals) -> None:
    """Signal processes and wait until they are gone or zombies."""
    living = []
    for pid in pids:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            process.send_signal(number)
            living.append(process)
    deadline = time.monotonic() + 15
    while living and time.monotonic() < deadline:
        living = [process for process in living if _lives(process)]
        time.sleep(0.05)
    for process in living:
        with suppress(psutil.Error):
            process.kill()


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _free_ports(count: int) -> list[int]:
    """Return free ports of loopback, the first ones in a row."""
    for first in range(20000 + secrets.randbelow(9000), 32000, count):
        with ExitStack() as held, suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return list(range(first, first + count))
    raise AssertionError("no free ports")
