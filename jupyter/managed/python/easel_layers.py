"""Gives each kernel of Easel's own Python a layer: what is installed from the kernel goes there.

A layer is a virtual environment that also has the packages of Easel's own, after its own ones.
So the installation of a package changes one session, not the others, nor Jupyter itself. A
layer survives the kernel's restarts and is removed with the kernel. It is written by hand: the
venv module takes a hundred times as long.
"""

import os
import shutil
import sys
import sysconfig
import threading

import easel_envfile
import easel_sandbox
from easel_ending import EndingKernelManager
from traitlets import Unicode

WINDOWS = sys.platform == "win32"
BIN = "Scripts" if WINDOWS else "bin"
BRIEF = {"UV_NO_PROGRESS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_PROGRESS_BAR": "off"}  # for models, as in projects
PIP = "#!/bin/sh\n" '"${0%%/*}/python" -m pip "$@" || exit\n' 'if [ "$1" = install ]; then echo "%s"; fi\n'
PIP_BAT = '@"%~dp0python.exe" -m pip %*\n'


class LayeredKernelManager(EndingKernelManager):
    """A kernel, with its layer if it is of Easel's own Python."""

    layers = Unicode(config=True, help="directory for layers; without it, there are none")
    env_file = Unicode(config=True, help="file with the path of the project's .env file; without it, none is read")
    sandbox = Unicode(config=True, help="file with the settings of the sandbox (easel_sandbox.py); without it, there is none")
    borrowed = ""  # the id of another kernel whose layer this one uses
    box = None  # what a kernel in a sandbox has for itself
    started = False

    async def _async_pre_start_kernel(self, *, layer_of="", **named):
        self.borrowed = layer_of or self.borrowed
        wanted = easel_sandbox.read(self.sandbox) if self.sandbox else None
        self.kernel_id = self.kernel_id or named.get("kernel_id")  # as Jupyter's own method does
        self.box = easel_sandbox.prepare(self, wanted)
        self.started = True
        command, named = await super()._async_pre_start_kernel(**named)
        env = named["env"]
        keep = set(self.kernel_spec.env)
        if self.env_file:
            keep.update(easel_envfile.add(self.env_file, env))
        layer = None
        if self.layers and command[0] == sys.executable:
            layer = os.path.join(self.layers, self.borrowed or self.kernel_id)
            make(layer)
            enter(env, layer)
            command = [python(layer), *command[1:]]
            if "ipykernel_launcher" in command:
                command.append("--InteractiveShellApp.extra_extensions=easel_packages")
        elif self.layers:
            leave(env)
        if self.box is not None:
            command = easel_sandbox.wrap(command, env, self.box, wanted, self.connection_file, keep, layer)
        return command, named

    async def _async_cleanup_resources(self, restart=False):
        await super()._async_cleanup_resources(restart=restart)
        if not restart and self.layers and not self.borrowed:
            remove([os.path.join(self.layers, self.kernel_id)])
        if not restart and self.box is not None:
            self.box.remove()


def python(layer):
    return os.path.join(layer, BIN, "python.exe" if WINDOWS else "python")


def make(layer):
    """Makes a layer, unless it exists."""
    from easel_packages import lasts  # not there in a test that has no layers

    if os.path.exists(python(layer)):
        return
    site = os.path.join(layer, os.path.relpath(sysconfig.get_path("purelib"), sys.prefix))
    for directory in (os.path.join(layer, BIN), site):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    shutil.copyfile(os.path.join(sys.prefix, "pyvenv.cfg"), os.path.join(layer, "pyvenv.cfg"))
    own = [d for d in sys.path if os.path.basename(d) == "site-packages" and d.startswith(sys.prefix + os.sep)]
    lines = ["import site; site.addsitedir(%s)\n" % ascii(d) for d in own]
    write(os.path.join(site, "easel-base.pth"), "".join(lines))
    if WINDOWS:
        write(os.path.join(layer, BIN, "pip.bat"), PIP_BAT)
        shutil.copy2(sys.executable, python(layer))
        return
    if sys.platlibdir != "lib" and not os.path.lexists(os.path.join(layer, sys.platlibdir)):
        os.symlink("lib", os.path.join(layer, sys.platlibdir))
    for name in "pip", "pip3":
        write(os.path.join(layer, BIN, name), PIP % lasts(["NAME"]), 0o700)
    for name in "python3", "python%d.%d" % sys.version_info[:2], "python":
        if not os.path.lexists(os.path.join(layer, BIN, name)):
            os.symlink(sys.executable, os.path.join(layer, BIN, name))


def write(path, text, mode=0o600):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="ascii") as f:
        f.write(text)


def enter(env, layer):
    """Changes a kernel's environment variables as activating the layer would."""
    env["VIRTUAL_ENV"] = layer
    env["PATH"] = os.path.join(layer, BIN) + os.pathsep + env.get("PATH", os.defpath)
    for name, value in BRIEF.items():
        env.setdefault(name, value)


def leave(env):
    """Removes Easel's environment from the variables of a kernel that is not of its Python."""
    if env.get("VIRTUAL_ENV") == sys.prefix:
        own = os.path.dirname(sys.executable)
        env["PATH"] = os.pathsep.join(d for d in env["PATH"].split(os.pathsep) if d != own)
        del env["VIRTUAL_ENV"]
        env.pop("PYTHONNOUSERSITE", None)


def remove(layers):
    """Removes layers in the background: one with large packages takes a while."""

    def work():
        for layer in layers:
            shutil.rmtree(layer, ignore_errors=True)

    threading.Thread(target=work, name="easel-layers").start()


def remove_left(directory):
    """Removes what the kernels of a server that has crashed have left."""
    if os.path.isdir(directory):
        remove([os.path.join(directory, name) for name in os.listdir(directory)])
