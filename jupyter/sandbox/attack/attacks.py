"""Attacks on a sandbox from inside. Each function succeeds if it returns; AIMS says at what."""

import ctypes
import fcntl
import os
import platform
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
ATTACKS = {}


def attack(f):
    ATTACKS[f.__name__] = f
    return f


def check(result):
    """Raises the error of a call of the C library."""
    if result is None or ctypes.c_long(result).value == -1:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return result


def syscall(x86, arm, *args):
    LIBC.syscall.restype = ctypes.c_long
    return check(LIBC.syscall(ctypes.c_long(x86 if X86 else arm), *[a if isinstance(a, bytes) else ctypes.c_long(a) for a in args]))


def secret(path):
    with open(path) as f:
        assert f.read() == AIMS["secret"]


def outside(name):
    return os.path.join(AIMS["outside"], name)


def inside(name):
    return os.path.join(AIMS["project"], name)


def child(code, *args):
    """Runs Python in another process, which must succeed."""
    subprocess.run([sys.executable, "-c", code, *args], check=True, capture_output=True)


# Files


@attack
def read():
    secret(outside("secret"))


@attack
def read_token():
    secret(AIMS["token"])


@attack
def read_in_child():
    child("import sys; open(sys.argv[1]).read()", outside("secret"))


@attack
def read_after_setsid():
    out = subprocess.run(["cat", outside("secret")], start_new_session=True, capture_output=True, check=True).stdout
    assert out.decode() == AIMS["secret"]


@attack
def list_folder():
    assert "secret" in os.listdir(AIMS["outside"])


@attack
def list_shared_memory():
    name = AIMS["shared"]
    assert name in os.listdir("/dev/shm")


@attack
def list_processes_environment():
    with open("/proc/%d/environ" % AIMS["victim"], "rb") as f:
        assert AIMS["secret"].encode() in f.read()


@attack
def write():
    with open(outside("written"), "w") as f:
        f.write("x")


@attack
def append():
    with open(outside("appended"), "a") as f:
        f.write("x")


@attack
def truncate():
    os.truncate(outside("truncated"), 0)


@attack
def remove():
    os.remove(outside("removed"))


@attack
def make_folder():
    os.mkdir(outside("made"))


@attack
def rename_out():
    with open(inside("leaves"), "w"):
        pass
    os.rename(inside("leaves"), outside("left"))


@attack
def rename_in():
    os.rename(outside("enters"), inside("entered"))


@attack
def exchange():
    with open(inside("mine"), "w"):
        pass
    check(LIBC.renameat2(-100, inside("mine").encode(), -100, outside("exchanged").encode(), 2))


@attack
def hard_link():
    os.link(outside("linked"), inside("hard"))
    secret(inside("hard"))


@attack
def symbolic_link():
    if not os.path.islink(inside("soft")):
        os.symlink(outside("secret"), inside("soft"))
    secret(inside("soft"))


@attack
def symbolic_link_that_was_there():
    secret(inside("planted"))


@attack
def write_through_link():
    if not os.path.islink(inside("out")):
        os.symlink(AIMS["outside"], inside("out"))
    with open(inside("out/through"), "w"):
        pass


@attack
def change_mode():
    os.chmod(outside("moded"), 0o640)
    assert os.stat(outside("moded")).st_mode & 0o777 == 0o640


@attack
def change_time():
    os.utime(outside("timed"), (1, 1))
    assert os.stat(outside("timed")).st_mtime == 1


@attack
def open_by_descriptor():
    fd = os.open(AIMS["outside"], os.O_PATH)
    with open("/proc/self/fd/%d/secret" % fd) as f:
        assert f.read() == AIMS["secret"]


@attack
def openat2():
    how = struct.pack("QQQ", os.O_RDONLY, 0, 0)
    fd = syscall(437, 437, -100, outside("secret").encode(), how, 24)
    assert os.read(fd, 100).decode() == AIMS["secret"]


@attack
def change_connection_file():
    with open(AIMS["connection"], "r+") as f:
        f.write("x")


@attack
def other_kernels_files():
    secret(AIMS["other"])


@attack
def raw_device():
    os.mknod(inside("device"), 0o60600, os.makedev(254, 0))
    os.remove(inside("device"))


@attack
def change_system():
    with open("/proc/sys/kernel/core_pattern", "r+") as f:
        f.write(f.read())


@attack
def watch_names():
    check(LIBC.inotify_add_watch(check(LIBC.inotify_init1(0)), AIMS["outside"].encode(), 0x100))


# Processes


@attack
def memory_of_parent():
    with open("/proc/%d/mem" % AIMS["parent"], "rb"):
        pass


@attack
def root_of_parent():
    with open("/proc/%d/root%s" % (AIMS["parent"], outside("secret"))) as f:
        assert f.read() == AIMS["secret"]


@attack
def folder_of_parent():
    os.listdir("/proc/%d/cwd/" % AIMS["parent"])


@attack
def environment_of_parent():
    with open("/proc/%d/environ" % AIMS["parent"], "rb") as f:
        assert f.read()


@attack
def trace():
    LIBC.ptrace.restype = ctypes.c_long
    check(LIBC.ptrace(ctypes.c_long(0x4206), ctypes.c_long(AIMS["victim"]), None, None))  # PTRACE_SEIZE
    check(LIBC.ptrace(ctypes.c_long(0x4207), ctypes.c_long(AIMS["victim"]), None, None))  # PTRACE_INTERRUPT
    os.waitpid(AIMS["victim"], 0x40000000)
    check(LIBC.ptrace(ctypes.c_long(17), ctypes.c_long(AIMS["victim"]), None, None))  # PTRACE_DETACH


@attack
def read_memory():
    buffer = ctypes.create_string_buffer(8)
    with open("/proc/%d/maps" % AIMS["victim"]) as f:
        start = int(f.readline().partition("-")[0], 16)
    local = struct.pack("QQ", ctypes.addressof(buffer), 8)
    remote = struct.pack("QQ", start, 8)
    syscall(310, 270, AIMS["victim"], local, 1, remote, 1, 0)


@attack
def take_descriptor():
    fd = syscall(434, 434, AIMS["victim"], 0)
    syscall(438, 438, fd, 0, 0)


@attack
def signal_others():
    os.kill(AIMS["victim"], signal.SIGCONT)


@attack
def signal_by_descriptor():
    fd = syscall(434, 434, AIMS["victim"], 0)
    signal.pidfd_send_signal(fd, signal.SIGCONT)


@attack
def limit_others():
    new = struct.pack("QQ", 2**64 - 1, 2**64 - 1)
    syscall(302, 261, AIMS["victim"], 4, new, 0)  # RLIMIT_CORE


@attack
def new_user_namespace():
    check(LIBC.unshare(0x10000000))


@attack
def new_user_namespace_in_child():
    subprocess.run(["unshare", "-U", "true"], check=True, capture_output=True)


@attack
def clone3_namespace():
    args = struct.pack("8Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = syscall(435, 435, args, 64)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


@attack
def mount():
    child(
        "import ctypes, sys; c = ctypes.CDLL(None); c.unshare(0x20000);"
        " sys.exit(c.mount(b'none', sys.argv[1].encode(), b'tmpfs', 0, None) != 0)",
        AIMS["project"],
    )


@attack
def enter_namespace():
    fd = os.open("/proc/%d/ns/uts" % AIMS["parent"], os.O_RDONLY)
    check(LIBC.setns(fd, 0))


@attack
def load_program():
    fd = syscall(321, 280, 0, struct.pack("IIIIII", 2, 4, 8, 1, 0, 0), 24)  # a map
    os.close(fd)


@attack
def ring():
    os.close(syscall(425, 425, 4, bytes(120)))


@attack
def own_keyring():
    syscall(250, 219, 0, -3, 1)  # KEYCTL_GET_KEYRING_ID of the session


@attack
def user_faults():
    os.close(syscall(323, 282, 0))


@attack
def by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount_id = ctypes.c_int()
    check(LIBC.name_to_handle_at(-100, outside("secret").encode(), handle, ctypes.byref(mount_id), 0))
    directory = os.open(inside("."), os.O_RDONLY)
    fd = check(LIBC.open_by_handle_at(directory, handle, os.O_RDONLY))
    assert os.read(fd, 100).decode() == AIMS["secret"]


@attack
def program_in_memory():
    fd = os.memfd_create("program")
    with open(shutil.which("cat"), "rb") as f:
        os.write(fd, f.read())
    out = subprocess.run(["/proc/self/fd/%d" % fd, outside("secret")], pass_fds=[fd], capture_output=True, check=True).stdout
    assert out.decode() == AIMS["secret"]


@attack
def program_with_other_rights():
    out = subprocess.run([AIMS["setuid"], "-u"], capture_output=True, check=True).stdout
    assert out.strip() == b"65534"


@attack
def become_another():
    child("import os; os.setgroups([]); os.setuid(65534)")


@attack
def type_into_terminal():
    leader, follower = os.openpty()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        try:
            fcntl.ioctl(follower, 0x540E, 0)  # TIOCSCTTY
            fcntl.ioctl(follower, 0x5412, b"x")  # TIOCSTI
        except OSError:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


@attack
def other_terminals():
    with open(AIMS["terminal"], "r+b", buffering=0):
        pass


@attack
def shared_memory_of_others():
    check(LIBC.shmget(0x45415345, 16, 0))


@attack
def other_architecture():
    if not X86:
        raise OSError("there is only one")
    LIBC.mmap.restype = ctypes.c_void_p
    code = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20 (getpid); int 0x80; ret
    at = LIBC.mmap(None, 4096, 7, 0x22, -1, 0)
    ctypes.memmove(at, code, len(code))
    pid = os.fork()
    if pid == 0:
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(at)() > 0 else 1)
    assert os.waitpid(pid, 0)[1] == 0


# Sockets


def talk(family, kind, address):
    with socket.socket(family, kind) as s:
        s.settimeout(20)
        s.connect(address)
        s.send(b"hello")
        assert s.recv(5) == b"hello"


@attack
def tcp4():
    talk(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", AIMS["tcp4"]))


@attack
def tcp6():
    talk(socket.AF_INET6, socket.SOCK_STREAM, ("::1", AIMS["tcp6"]))


@attack
def tcp_in_child():
    child("import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 20)", str(AIMS["tcp4"]))


@attack
def udp4():
    talk(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", AIMS["udp4"]))


@attack
def udp6():
    talk(socket.AF_INET6, socket.SOCK_DGRAM, ("::1", AIMS["udp6"]))


@attack
def route_out():
    """A route to a network other than loopback. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((AIMS["address"], 53))


@attack
def raw_socket():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


@attack
def kernel_socket():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close()  # NETLINK_AUDIT


@attack
def abstract_socket():
    talk(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + AIMS["abstract"])


@attack
def socket_by_path():
    talk(socket.AF_UNIX, socket.SOCK_STREAM, AIMS["stream"])


@attack
def packets_by_path():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"hello", AIMS["datagram"])


@attack
def packets_from_pair():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with a, b:
        a.sendto(b"hello", AIMS["datagram"])


def run(name, aims):
    """Returns "" if an attack succeeds, or what prevented it."""
    global AIMS
    AIMS = aims
    try:
        ATTACKS[name]()
    except BaseException as e:
        if isinstance(e, subprocess.CalledProcessError):
            return "%r: %s" % (e, (e.stderr or b"").decode(errors="replace")[-200:])
        return repr(e) or "failed"
    return ""


def run_all(aims):
    """Runs each attack in a process of its own, because some change theirs. Returns a dictionary."""
    results = {}
    for name in ATTACKS:
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.write(w, run(name, aims).encode()[:4000])
            finally:
                os._exit(0)
        os.close(w)
        with os.fdopen(r, "rb") as f:
            text = f.read().decode()
        _, status = os.waitpid(pid, 0)
        results[name] = text if status == 0 else "ended with %d %s" % (status, text)
    return results
