"""Runs the Jupyter server that Easel manages, while Easel renews its lease.

It is started as "python -I serve.py DIRECTORY", with a JSON object on standard input.
So the token is neither in the arguments nor in the environment, which other programs
may see. When the server listens, its port is written to server.json in DIRECTORY, where
this Easel or a later one finds it.

The lease is the file DIRECTORY/lease. It contains the process id of the Easel that
renews it. The server ends, with all its kernels, when the lease has not been renewed
for lease_seconds and that Easel is gone. An Easel that is only suspended (Ctrl-Z, a
debugger) keeps the lease. Time is counted with a clock that stops while the machine
sleeps, and in small steps, so that a suspended laptop does not lose its kernels when it
wakes up.
"""

import asyncio
import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time


def postpone(name, function):
    """Loads a module when its function is called, not when it is imported."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    late = importlib.util.module_from_spec(spec)

    def real():
        if sys.modules.get(name) is late:
            del sys.modules[name]
        return importlib.import_module(name)

    setattr(late, function, lambda *args, **named: getattr(real(), function)(*args, **named))
    late.__getattr__ = lambda attribute: getattr(real(), attribute)
    sys.modules[name] = late


# jsonschema builds a grammar of international addresses, which none of Jupyter's schemas
# uses. That took half of the server's start.
postpone("rfc3987_syntax", "is_valid_syntax")

import easel_layers  # noqa: E402
import easel_ports  # noqa: E402
import easel_sandbox  # noqa: E402
from easel_kept import KeepingKernelManager  # noqa: E402
from easel_life import LifeConnection  # noqa: E402
from jupyter_server.serverapp import ServerApp  # noqa: E402
from jupyter_server.services.contents.filecheckpoints import AsyncFileCheckpoints  # noqa: E402
from tornado.routing import Matcher, Rule  # noqa: E402

PATIENCE = 3.0  # seconds to wait for starting kernels when the server ends
LAB = ["jupyter_lsp", "jupyterlab", "notebook_shim", "jupyterlab_commands_toolkit"]  # extensions
GRACE = 10.0  # seconds for kernels to end cleanly when the lease has expired
LARGEST_MESSAGE = 128 << 20  # bytes of one websocket message from a client; tornado's default is 10 MiB


class Lease(threading.Thread):
    """Calls expired once, when nobody holds the lease anymore."""

    def __init__(self, path, seconds, expired):
        super().__init__(name="easel-lease", daemon=True)
        self.path = path
        self.seconds = seconds
        self.expired = expired
        self.seen = None  # the file's modification time at its last change
        self.holder = None  # the process that renews it

    def run(self):
        step = min(self.seconds / 10, 2.0)
        stale, last = 0.0, time.monotonic()
        while True:
            time.sleep(step)
            now = time.monotonic()
            stale += min(now - last, 2 * step)
            last = now
            if self.renewed():
                stale = 0.0
            elif stale >= self.seconds and not self.holder_lives():
                self.expired()
                return

    def renewed(self):
        """Reports whether the file has changed since the last look."""
        try:
            mark = os.stat(self.path).st_mtime_ns
            if mark == self.seen:
                return False
            with open(self.path, encoding="ascii") as f:
                self.hold(int(f.read()))
        except (OSError, ValueError):
            return False
        self.seen = mark
        return True

    def hold(self, pid):
        import psutil

        if self.holder is not None and self.holder.pid == pid:
            return
        try:
            self.holder = psutil.Process(pid)
        except psutil.Error:
            self.holder = None

    def holder_lives(self):
        import psutil

        try:
            # is_running also compares start times, so a reused id is not the holder.
            return (
                self.holder is not None
                and self.holder.is_running()
                and self.holder.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.Error:
            return False


def configuration(given):
    """Returns the server's settings that take precedence over a system-wide file."""
    from traitlets.config import Config

    c = Config()
    app = c.ServerApp
    app.ip = "127.0.0.1"
    app.port = given["port"]
    app.port_retries = 50
    app.base_url = "/"
    app.root_dir = given["root_dir"]
    app.open_browser = False
    app.allow_remote_access = False
    app.certfile = app.keyfile = app.client_ca = app.sock = ""
    app.quit_button = False  # Easel ends the server; if the user did, it would restart immediately without kernels
    app.terminals_enabled = True
    app.jpserver_extensions = {name: False for name in LAB}  # see LabOnRequest
    app.tornado_settings = {"websocket_max_message_size": LARGEST_MESSAGE}
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        app.allow_root = True
    c.IdentityProvider.token = given["token"]
    c.PasswordIdentityProvider.hashed_password = ""
    # With the limit, twenty megabytes of output are dropped, and pictures with them.
    c.ZMQChannelsWebsocketConnection.limit_rate = False
    app.kernel_websocket_connection_class = LifeConnection
    app.kernel_manager_class = KeepingKernelManager
    c.KeepingKernelManager.log_file = given["log"]
    c.LayeredKernelManager.layers = given["layers"]
    # The search runs npm, and only jupyterlab-lsp uses what it finds.
    c.LanguageServerManager.autodetect = importlib.util.find_spec("jupyterlab_lsp") is not None
    c.LabApp.news_url = None  # Easel's environment is pinned: no news, no update notices
    c.LabApp.check_for_updates_class = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
    if given["project"]:
        keep_out(c, given["project"])
    return c


def keep_out(c, project):
    """Makes the server write nothing into a project but what the user saves there, and its
    kernels ignore the server's own settings."""
    c.ContentsManager.checkpoints_class = CheckpointsElsewhere
    c.CheckpointsElsewhere.root_dir = project["checkpoints"]
    # What the user may install: jupyterlab-lsp and jupyter-collaboration.
    c.LanguageServerManager.virtual_documents_dir = os.path.join(project["scratch"], "documents")
    c.SQLiteYStore.db_path = os.path.join(project["scratch"], "ystore.db")
    c.KeepingKernelManager.hidden = project["hidden"]
    c.LayeredKernelManager.env_file = project["env_file"]
    c.LayeredKernelManager.sandbox = project["sandbox"]


class CheckpointsElsewhere(AsyncFileCheckpoints):
    """Keeps checkpoints below root_dir, in the tree of the notebooks' directories."""

    def checkpoint_path(self, checkpoint_id, path):
        os.makedirs(os.path.dirname(self._get_os_path(path)), exist_ok=True)
        return super().checkpoint_path(checkpoint_id, path)


def add_kernel_dirs(app, given):
    """Adds the kernels of a project before those of this environment, and the user's own
    after them."""
    specs = app.kernel_spec_manager
    first = [given["project"]["kernels"]] if given["project"] else []
    specs.kernel_dirs = first + specs.kernel_dirs + [d for d in given["kernel_dirs"] if d not in specs.kernel_dirs]


def announce(directory, given, app):
    """Writes where the server listens, unless another server has been started since."""
    path = os.path.join(directory, "server.json")
    with open(path, encoding="utf-8") as f:
        record = json.load(f)
    if record.get("id") != given["id"]:
        raise SystemExit("another server has taken this one's place")
    record["port"] = app.port
    record["url"] = "http://127.0.0.1:%d/" % app.port
    scratch = "%s.%d" % (path, os.getpid())
    with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
        json.dump(record, f)
    replace(scratch, path)


def replace(new, path):
    """Replaces a file. On Windows that fails while Easel reads it, so it tries again."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return os.replace(new, path)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > end:
                raise
            time.sleep(0.01)


class LabOnRequest(Matcher):
    """Matches no request, but loads JupyterLab when one of its pages is requested.

    It takes a third of the server's start and of its memory, and most servers never need it.
    And in a new environment, it is installed after the server has started.
    """

    def __init__(self, app):
        self.app = app
        self.missing = list(LAB)

    def match(self, request):
        if self.missing and request.path.startswith("/lab"):
            importlib.invalidate_caches()
            self.missing = [name for name in self.missing if not self.load(name)]

    def load(self, name):
        manager = self.app.extension_manager
        if importlib.util.find_spec(name) is None:
            return False
        try:
            if manager.add_extension(name, enabled=True):
                manager.link_extension(name)
                manager.load_extension(name)
        except Exception as e:  # it is there after the server's next start
            self.app.log.warning("cannot load %s: %r", name, e)
        return True


def kill_kernels(app):
    """Kills what is left of the kernels, with the processes that they started."""
    for kernel_id in list(app.kernel_manager.list_kernel_ids()):
        try:
            provisioner = app.kernel_manager.get_kernel(kernel_id).provisioner
            if getattr(provisioner, "pgid", None) and hasattr(os, "killpg"):
                os.killpg(provisioner.pgid, signal.SIGKILL)
            else:
                provisioner.process.kill()
        except Exception as e:  # the next one must still end
            print("cannot kill kernel %s: %r" % (kernel_id, e), file=sys.stderr)


class EaselServerApp(ServerApp):
    """A server that ends reliably."""

    job = None  # on Windows

    def init_signal(self):
        """Ends the server on SIGTERM, from its event loop.

        Jupyter's own handler logs first, whatever the server is doing. If the server is
        writing to its log, that is an error ("reentrant call"), and the signal is lost.
        """
        super().init_signal()
        if sys.platform != "win32":  # Windows has an event instead; see easel_job
            self.io_loop.asyncio_loop.add_signal_handler(signal.SIGTERM, self.stop)

    async def _stop(self):
        """Ends the kernels, then the server.

        Jupyter's own method fails, and the server keeps running, if a kernel is being started
        or restarted (InvalidStateError): it reads the result of a future that is not done.
        """
        end = time.monotonic() + PATIENCE
        while True:
            try:
                await self.cleanup_kernels()
                break
            except Exception as e:
                if time.monotonic() > end:
                    kill_kernels(self)
                    break
                self.log.info("A kernel cannot be ended yet: %r", e)
                await asyncio.sleep(0.2)
        if self.job is not None:
            self.job.release()
        try:
            await super()._stop()
        finally:
            self.io_loop.stop()


def main():
    directory = sys.argv[1]
    given = json.load(sys.stdin.buffer)  # UTF-8, whatever the system's encoding is
    easel_ports.install()
    easel_layers.remove_left(given["layers"])
    if given["project"]:
        easel_sandbox.remove_left(given["project"]["sandbox"])
    app = EaselServerApp.instance(config=configuration(given))

    def expired():
        app.log.warning("Easel has not renewed its lease: the server ends, with its kernels.")
        app.stop(from_signal=True)
        time.sleep(GRACE)
        kill_kernels(app)
        os._exit(1)

    if sys.platform == "win32":
        import easel_job

        app.job = easel_job.Job()
        easel_job.on_event(given["stop_event"], lambda: app.stop(from_signal=True))
    lease = Lease(os.path.join(directory, "lease"), given["lease_seconds"], expired)
    lease.renewed()
    lease.start()
    app.initialize(argv=[])
    add_kernel_dirs(app, given)
    app.web_app.default_router.rules.insert(0, Rule(LabOnRequest(app), None))
    announce(directory, given, app)
    app.start()


if __name__ == "__main__":
    main()
