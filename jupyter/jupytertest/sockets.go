package jupytertest

// OnSockets begins a Python program that starts kernels by itself. They listen on sockets in the
// file system, because another process may take a port before the kernel does. A socket's path
// has at most 107 characters, so it is not in the test's directory.
const OnSockets = `
import contextlib, tempfile
from traitlets.config import Config

@contextlib.contextmanager
def onSockets():
    with tempfile.TemporaryDirectory(prefix="ipc", dir="/tmp") as base:
        yield Config({"KernelManager": {"transport": "ipc", "ip": base + "/k", "connection_file": base + "/kernel.json"}})
`
