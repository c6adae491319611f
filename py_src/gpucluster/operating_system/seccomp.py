"""A seccomp filter refuses what Landlock does not cover, such as limits of other processes and the modes of files.

Landlock decides about files by their path and does not cover ``prlimit`` or ``chmod``. This filter decides about system
calls by their number and plain arguments; it cannot see paths. It needs libseccomp, which Debian and most other
distributions include; see `can_filter`.
"""

import errno
import os
from collections.abc import Collection
from types import ModuleType
from typing import Any

from . import LINUX

_NO_EFFECT = "chmod fchmod fchmodat fchmodat2"
"""They report success and do nothing, so that ``shutil.copy`` work. A submission's files are private anyway.

Seccomp cannot see the owner of a file, who may always change these, whatever Landlock allows.
"""
_REFUSED = """
    chown fchown lchown fchownat
    setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp
    mount umount umount2 pivot_root chroot move_mount open_tree open_tree_attr mount_setattr
    fsopen fsconfig fsmount fspick unshare setns
    bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register
    keyctl add_key request_key quotactl quotactl_fd
    name_to_handle_at open_by_handle_at fanotify_init fanotify_mark
    shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink
    acct swapon swapoff reboot kexec_load kexec_file_load init_module finit_module delete_module
    syslog vhangup iopl ioperm modify_ldt nfsservctl lookup_dcookie uselib
    settimeofday clock_settime clock_adjtime adjtimex stime sethostname setdomainname
"""
_ABSENT = "memfd_create memfd_secret inotify_init inotify_init1 inotify_add_watch"
"""They do not exist for a submission; programs have a fallback.

Anonymous files belong to no path that Landlock could check, and a file can be watched without opening it.
"""
_TIMES = {"utime": (0, 1), "utimes": (0, 1), "futimesat": (1, 2), "utimensat": (1, 2)}
"""Positions of the arguments for the path and the times.

Without times they mean "now". Functions that create files, such as `pathlib.Path.touch`, use this to check whether the
file exists: the answer is no. Everything else, such as copying a file's time, has no effect.
"""
_SCHEDULING = "sched_setaffinity sched_setscheduler sched_setparam sched_setattr"
"""They change only the caller, which has the number 0.

For others they report success and do nothing: libraries such as ZeroMQ name their own threads by number, and end the
process when they are refused.
"""
_PAGES = "migrate_pages move_pages"
_OTHER_SIGNALS = "tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal"
_PER_FILTER = 100  # a filter has 4,096 steps at most

_FAMILIES = {1, 2, 10, 16}  # unix, IPv4, IPv6, netlink
_NETLINK = 16  # With protocol 0 only, which the system's library uses to list network interfaces.
_PR_SET_DUMPABLE = 4  # Would hide the files that it holds open.
_CLONE_NEW = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
_IOCTLS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type into terminals
_IOCTLS_OF_FILES = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602)  # flags and attributes, as chattr sets
_IOCTLS_OF_SIGNALS = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
_F_SETLEASE = 1024  # A process that opens the file waits for the holder of a lease.
_F_OF_SIGNALS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_INT = 0xFFFFFFFF
_NEWEST = 462  # The newest call that was reviewed (mseal). Later ones do not exist for a submission.


def can_filter() -> bool:
    """Whether libseccomp and its binding are available."""
    return _binding() is not None


def restrict(*, truncation: bool = True) -> bool:
    """Restrict this process, all its threads and all that it starts; return whether that can be done.

    `truncation`: whether files may be truncated by name: only if Landlock checks their owner.
    """
    seccomp = _binding()
    if seccomp is None:
        return False
    refused = _refusals(seccomp)
    more = "" if truncation else "truncate truncate64"
    for names, action in (
        (_NO_EFFECT, seccomp.ERRNO(0)),
        (_REFUSED + more, seccomp.ERRNO(errno.EPERM)),
        (_ABSENT, seccomp.ERRNO(errno.ENOSYS)),
    ):
        for number in _numbers(seccomp, names):
            refused.add_rule(action, number)
    known = seccomp.SyscallFilter(seccomp.ERRNO(errno.ENOSYS))
    for number in range(_NEWEST + 1):
        if _is_known(seccomp, number):
            known.add_rule(seccomp.ALLOW, number)
    return _loaded(seccomp, known, refused)


def restrict_signals(protected: Collection[int], groups: Collection[int]) -> bool:
    """Refuse signals to these processes and threads, for systems whose Landlock does not cover signals."""
    seccomp = _binding()
    if seccomp is None:
        return False
    refuse, arg = seccomp.ERRNO(errno.EPERM), seccomp.Arg
    # A group has its negative number; -1 means all processes.
    numbers = [*protected, *(_INT + 1 - group for group in (1, *groups))]
    filters = []
    for begin in range(0, len(numbers), _PER_FILTER):
        filters.append(seccomp.SyscallFilter(seccomp.ALLOW))
        for name in ("kill", "tgkill"):
            for call in _numbers(seccomp, name):
                for number in numbers[begin : begin + _PER_FILTER]:
                    filters[-1].add_rule(refuse, call, arg(0, seccomp.MASKED_EQ, _INT, number))
    for name, commands in (("ioctl", _IOCTLS_OF_SIGNALS), ("fcntl", _F_OF_SIGNALS)):
        for call in _numbers(seccomp, name):
            for command in commands:
                filters[0].add_rule(refuse, call, arg(1, seccomp.MASKED_EQ, _INT, command))
    for call in _numbers(seccomp, _OTHER_SIGNALS):
        filters[0].add_rule(refuse, call)
    return _loaded(seccomp, *filters)


def _refusals(seccomp: ModuleType) -> Any:
    """Return a filter for calls that are refused for some arguments only.

    Arguments of 32 bits are compared as such, as the kernel ignores the rest.
    """
    found = seccomp.SyscallFilter(seccomp.ALLOW)
    refuse, arg = seccomp.ERRNO(errno.EPERM), seccomp.Arg

    def rule(name: str, *compared: Any, action: int = refuse) -> None:
        for number in _numbers(seccomp, name):
            found.add_rule(action, number, *compared)

    for name, (path, times) in _TIMES.items():
        rule(name, arg(path, seccomp.NE, 0), arg(times, seccomp.EQ, 0), action=seccomp.ERRNO(errno.ENOENT))
        rule(name, arg(times, seccomp.NE, 0), action=seccomp.ERRNO(0))
        rule(name, arg(path, seccomp.EQ, 0), arg(times, seccomp.EQ, 0), action=seccomp.ERRNO(0))
    for name in _SCHEDULING.split():
        rule(name, arg(0, seccomp.NE, 0), action=seccomp.ERRNO(0))
    for name in _PAGES.split():
        rule(name, arg(0, seccomp.NE, 0))
    rule("prlimit64", arg(0, seccomp.NE, 0), arg(2, seccomp.NE, 0))  # Reading the limits of others is allowed.
    rule("setpriority", arg(0, seccomp.NE, os.PRIO_PROCESS))
    rule("setpriority", arg(1, seccomp.NE, 0))
    rule("ioprio_set", arg(0, seccomp.NE, 1))  # 1: a process
    rule("ioprio_set", arg(1, seccomp.NE, 0))
    for flag in _CLONE_NEW:
        rule("clone", arg(0, seccomp.MASKED_EQ, flag, flag))
    rule("clone3", action=seccomp.ERRNO(errno.ENOSYS))  # Its flags cannot be seen; all callers fall back to clone.
    # A file opened for reading can still be truncated, which Landlock's older versions do not cover.
    for name, place in (("open", 1), ("openat", 2)):
        rule(name, arg(place, seccomp.MASKED_EQ, os.O_ACCMODE | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC))
    rule("openat2", action=seccomp.ERRNO(errno.ENOSYS))  # Its flags cannot be seen either.
    for name in ("socket", "socketpair"):
        unknown = seccomp.ERRNO(errno.EAFNOSUPPORT)
        for family in set(range(max(_FAMILIES))) - _FAMILIES:
            rule(name, arg(0, seccomp.EQ, family), action=unknown)
        rule(name, arg(0, seccomp.GT, max(_FAMILIES)), action=unknown)
        no_protocol = seccomp.ERRNO(errno.EPROTONOSUPPORT)
        rule(name, arg(0, seccomp.EQ, _NETLINK), arg(2, seccomp.NE, 0), action=no_protocol)
    rule("prctl", arg(0, seccomp.MASKED_EQ, _INT, _PR_SET_DUMPABLE))
    for command in (*_IOCTLS, *_IOCTLS_OF_FILES):
        rule("ioctl", arg(1, seccomp.MASKED_EQ, _INT, command))
    rule("fcntl", arg(1, seccomp.MASKED_EQ, _INT, _F_SETLEASE))
    return found


def _numbers(seccomp: ModuleType, names: str) -> list[int]:
    """Return the numbers of these calls; some do not exist on every machine, or in an older library."""
    found = (seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) for name in names.split())
    return [number for number in found if number >= 0]


def _is_known(seccomp: ModuleType, number: int) -> bool:
    try:
        return bool(seccomp.resolve_syscall(seccomp.system_arch(), number))
    except ValueError:
        return False


def _loaded(seccomp: ModuleType, *filters: Any) -> bool:
    for one in filters:
        try:
            # Calls of the machine's other architectures do not exist, instead of ending only the thread.
            one.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.ERRNO(errno.ENOSYS))
            one.set_attr(seccomp.Attr.CTL_TSYNC, 1)
            one.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)
            one.load()
        except OSError:
            return False
    return True


def _binding() -> ModuleType | None:
    if not LINUX:
        return None
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError):  # no binding, or no library
        return None
    found: ModuleType = pyseccomp
    return found
