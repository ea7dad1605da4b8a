"""Starts a kernel in an environment that need not have ipykernel.

EASEL_OVERLAY is a directory with ipykernel, which comes last in sys.path, so that everything
that the environment has itself is used. The program runs on Python 3.8 and later.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = os.path.join(HERE, "modules")


def extend_path():
    """Replaces this program's directory by those that the kernel needs. Returns the directories of Easel's packages."""
    overlay = os.environ.get("EASEL_OVERLAY", "")
    if sys.path and os.path.abspath(sys.path[0]) == HERE:
        del sys.path[0]  # IPython puts the working directory there
    sys.path += [d for d in (MODULES, overlay) if d]
    for directory in filter(None, (HERE, overlay)):
        with contextlib.suppress(OSError):
            os.utime(directory)  # Easel removes those that have not been used for long
    return overlay, os.path.dirname(os.environ.get("EASEL_CLOUDPICKLE", ""))


def install_modules():
    """Loads Easel's modules. None of them may prevent the start."""
    sys.path.insert(0, MODULES)  # the user may have modules with such names
    loaded = []
    for name in sorted(n[:-3] for n in os.listdir(MODULES) if n.endswith(".py")):
        try:
            module = importlib.import_module(name)
            loaded.append(name)
            getattr(module, "install", bool)()
        except Exception as e:
            print("easel: %s has no effect: %r" % (name, e), file=sys.stderr)
    del sys.path[0]
    return loaded


def give_way(loaded):
    """Forgets those of Easel's modules that have the name of one of the user's."""
    for name in loaded:
        found = importlib.machinery.PathFinder.find_spec(name, ["", *sys.path])
        if found is not None and os.path.dirname(found.origin or "") != MODULES:
            del sys.modules[name]


def clean_environment():
    """Removes Easel's variables from what the user's code and its processes see."""
    for name, value in list(os.environ.items()):
        if name.startswith("EASEL_") and not name.startswith("EASEL_TEST_"):
            del os.environ[name]
        elif not value and name.startswith(("JUPYTER_", "IPYTHONDIR", "VIRTUAL_ENV", "CONDA_", "PYTHONNOUSERSITE")):
            del os.environ[name]  # a kernelspec cannot unset a variable


def main():
    added = extend_path()
    uv = os.environ.get("EASEL_UV", "")
    if shutil.which("uv") is None and os.path.isfile(uv):
        os.environ["PATH"] += os.pathsep + os.path.dirname(uv)
    for name in "UV_NO_PROGRESS", "PIP_DISABLE_PIP_VERSION_CHECK":
        os.environ.setdefault(name, "1")  # what models read should be brief
    os.environ.setdefault("PIP_PROGRESS_BAR", "off")
    loaded = install_modules()
    clean_environment()
    import easel_packages

    easel_packages.ADDED = added
    give_way(loaded)

    from ipykernel.kernelapp import IPKernelApp

    launcher = importlib.util.find_spec("ipykernel_launcher")
    if launcher is not None:
        sys.argv[0] = launcher.origin
    app = IPKernelApp.instance()
    # The user's IPython profile applies, as in any kernel of this environment. Its history
    # does not: it is what the user typed, not what assistants ran.
    app.initialize([*sys.argv[1:], "--HistoryManager.hist_file=:memory:"])
    try:
        easel_packages.register(app.shell)
    except Exception as e:
        print("easel: %%pip is IPython's own: %r" % e, file=sys.stderr)
    app.start()


if __name__ == "__main__":
    main()
