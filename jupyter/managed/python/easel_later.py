"""Says that a module is still being installed, and waits for it.

After the first start, Easel installs the packages that the first plot does not need
while the user works. Their modules are listed in easel-later.json in the environment,
until all of them are there. Code that imports one of them waits, instead of failing with
"No module named". An interrupt ends the waiting, and so does a failed installation, which
writes the reason to easel-later-failed.txt until it is tried again.
"""

import importlib
import importlib.machinery
import json
import os
import sys
import time

PATIENCE = 240.0  # seconds


def environment():
    """Returns the environment's directory. sys.prefix may be a layer's (easel_layers.py)."""
    directory = os.path.dirname(__file__)
    while not os.path.exists(os.path.join(directory, "pyvenv.cfg")) and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return directory


FILE = os.path.join(environment(), "easel-later.json")
FAILED = os.path.join(environment(), "easel-later-failed.txt")


def missing():
    """Returns the modules that are still being installed."""
    try:
        with open(FILE, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return []


def failure():
    """Returns why they cannot be installed now, or an empty string."""
    try:
        with open(FAILED, encoding="utf-8") as f:
            return f.read()
    except (OSError, ValueError):
        return ""


class Finder:
    """The last finder: it is asked for modules that no other has found."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or name not in missing():
            return None
        if not failure():
            print(f"{name} is still being installed by Easel. Waiting for it…", file=sys.stderr, flush=True)
        end = time.monotonic() + PATIENCE
        while name in missing() and not failure() and time.monotonic() < end:
            time.sleep(0.2)
        importlib.invalidate_caches()
        if name in missing():
            why = f"could not be installed yet: {failure()}" if failure() else "is still being installed by Easel"
            raise ModuleNotFoundError(f"{name} {why}. Easel's window shows the progress. Try again later.", name=name)
        return importlib.machinery.PathFinder.find_spec(name)


def install():
    if missing():
        sys.meta_path.append(Finder)
