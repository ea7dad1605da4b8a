"""Starts the kernels of a project in a sandbox, if the user wants it.

A file, which Easel writes, says so and has the policy and the launcher's command. It is read at each
start of a kernel. The launcher, Easel's own program, makes the sandbox (jupyter/sandbox in Easel's
source). Such a kernel has no TCP sockets: it listens on sockets in a directory of its own.
"""

import json
import os
import shutil
import tempfile


class SandboxError(OSError):
    """The reason why a kernel does not start."""


class Box:
    """What a kernel in a sandbox has for itself. It stays the same when the kernel is restarted."""

    wanted = None  # the settings with which it was started last

    def __init__(self, directory):
        self.directory = directory
        self.temp = os.path.join(directory, "tmp")
        os.makedirs(self.temp, mode=0o700, exist_ok=True)
        # The path of a socket has at most a hundred bytes.
        places = [os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", tempfile.gettempdir()]
        place = next(p for p in places if p and os.path.isdir(p) and os.access(p, os.W_OK))
        self.sockets = tempfile.mkdtemp(prefix="easel-", dir=place)
        with open(os.path.join(directory, "sockets"), "w", encoding="utf-8") as f:
            f.write(self.sockets)

    def remove(self):
        remove(self.directory)


def remove(directory):
    """Removes what a kernel had for itself."""
    try:
        with open(os.path.join(directory, "sockets"), encoding="utf-8") as f:
            sockets = f.read()
        if os.path.basename(sockets).startswith("easel-"):
            shutil.rmtree(sockets, ignore_errors=True)
    except OSError:
        pass
    shutil.rmtree(directory, ignore_errors=True)


def remove_left(marker):
    """Removes what the kernels of a server that has crashed have left."""
    directory = kernels(marker)
    if os.path.isdir(directory):
        for name in os.listdir(directory):
            remove(os.path.join(directory, name))


def kernels(marker):
    return os.path.join(os.path.dirname(marker), "sandboxed")


def read(marker):
    """Returns the policy and the launcher, or None if there is no sandbox."""
    try:
        with open(marker, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as e:
        raise SandboxError("the settings of the sandbox cannot be read: %r" % e) from e


def prepare(manager, wanted):
    """Makes a kernel, before its start, listen where it can in a sandbox. Returns its Box, or None."""
    box = manager.box
    if wanted is None and box is None:
        return None
    if box is None and manager.started:
        raise SandboxError("the sandbox was turned on after this kernel had started; end the session and start another")
    if box is None:
        box = Box(os.path.join(kernels(manager.sandbox), manager.kernel_id))
        manager.cache_ports = False
        manager.transport, manager.ip = "ipc", os.path.join(box.sockets, "k")
    return box


def wrap(command, env, box, wanted, connection_file, keep, layer):
    """Returns the command that starts a kernel's command in the sandbox, and adds what it needs to env. If the
    sandbox was turned off since the kernel's first start, it keeps what it has: wanted is None then."""
    wanted = box.wanted = wanted or box.wanted
    start = dict(wanted["policy"])
    start["own"] = [box.sockets] + ([layer] if layer else [])
    start["temp"] = box.temp
    start["given"] = [connection_file]
    start["keep"] = [name for name in keep if not name.startswith(("JUPYTER_", "IPYTHONDIR"))]
    env["EASEL_SANDBOX_START"] = json.dumps(start)
    with open(os.path.join(box.directory, "start.json"), "w", encoding="utf-8") as f:
        json.dump({**start, "argv": command}, f)  # for Easel
    return [*wanted["launcher"], "--", *command]
