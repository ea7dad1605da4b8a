"""Restricts this process to what drawing needs. It can then access neither the network nor
other programs nor files other than fonts, Python's and the system's. This works only on Linux,
as far as the kernel supports it. Elsewhere, the worker relies on its own checks."""

import ctypes
import os
import struct
import sys

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446

_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3

# Numbers of the system calls that fail: socket, connect, execve, execveat, ptrace,
# process_vm_readv, io_uring_setup.
_REFUSED = {
    "x86_64": (0xC000003E, (41, 42, 59, 322, 101, 310, 425)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117, 270, 425)),
}

_READABLE = (
    "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/localtime", "/etc/timezone", "/etc/ld.so.cache",
    "/var/cache/fontconfig", "/nix/store",
    "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/dev/null", "/dev/urandom",
    "~/.fonts", "~/.local/share/fonts", "~/.config/fontconfig", "~/.cache/fontconfig",
)


def confine(readable):
    """Confines the process, and returns the names of the mechanisms that took effect. It must be
    called before threads are started, because it does not confine existing ones."""
    if not sys.platform.startswith("linux"):
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return []
    # Landlock first, because it opens directories, which is simpler without the filter.
    return [name for name, take in (("landlock", _landlock), ("seccomp", _seccomp)) if take(libc, readable)]


def _landlock(libc, readable):
    abi = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if abi < 1:
        return False
    # All access rights that the kernel supports: writing, creating, removing, and so on.
    files = (1 << {1: 13, 2: 14}.get(abi, 15 if abi < 5 else 16)) - 1
    attr = struct.pack("QQ", files, 3 if abi >= 4 else 0)  # 3: bind and connect over TCP
    ruleset = libc.syscall(_LANDLOCK_CREATE_RULESET, attr, ctypes.c_size_t(16 if abi >= 4 else 8), 0)
    if ruleset < 0:
        return False
    for path in (*_READABLE, sys.prefix, sys.base_prefix, *readable):
        _allow(libc, ruleset, os.path.expanduser(path))
    ok = libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return ok


def _allow(libc, ruleset, path):
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it does not exist
    rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE
    libc.syscall(_LANDLOCK_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, fd), 0)
    os.close(fd)


def _seccomp(libc, _readable):
    arch, refused = _REFUSED.get(os.uname().machine, (0, ()))
    if not refused or sys.maxsize < 2**32:
        return False
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06  # BPF: ld abs, jeq, jge, ret
    allow, fail, kill = 0x7FFF0000, 0x00050000 | 13, 0x80000000  # 13: EACCES
    n = len(refused)
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, arch),
        (give, 0, 0, kill),
        (load, 0, 0, 0),
        (at_least, n + 1, 0, 0x40000000),  # the x32 calls of x86-64
        *((equal, n - i, 0, number) for i, number in enumerate(refused)),
        (give, 0, 0, allow),
        (give, 0, 0, fail),
    ]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    return libc.prctl(_PR_SET_SECCOMP, 2, filter_, 0, 0) == 0
