"""Says that a module is still being installed, and waits for it.

After the first start, Easel installs the packages that the first plot does not need
while the user works. Their modules are listed in easel-later.json in the environment,
until all of them are there. Code that imports one of them waits, instead of failing with
"No module named". An interrupt ends the waiting, and so does a failed installation, which
writes the reason to easel-later-failed.txt until it is tried again.
"""

import importlib
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


ENVIRONMENT = environment()
FILE = os.path.join(ENVIRONMENT, "easel-later.json")
FAILED = os.path.join(ENVIRONMENT, "easel-later-failed.txt")


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


def search(name, target):
    """Returns what the other finders find, and whether it is in the environment, where it may be incomplete."""
    others = [f for f in sys.meta_path if hasattr(f, "find_spec") and not isinstance(f, Finder)]
    specs = (f.find_spec(name, None, target) for f in others)
    spec = next((s for s in specs if s), None)
    places = [spec.origin or "", *(spec.submodule_search_locations or [])] if spec else []
    return spec, any(p.startswith(ENVIRONMENT + os.sep) for p in places)


class Finder:
    """The first finder: the others find what is half installed, too."""

    def __init__(self, names):
        self.names = frozenset(names)

    def find_spec(self, name, path=None, target=None):
        if path is not None or name not in self.names:
            return None
        spec, ours = search(name, target)
        if spec and not ours:
            return spec
        if name in missing() and not failure():
            print(f"{name} is still being installed by Easel. Waiting for it…", file=sys.stderr, flush=True)
        end = time.monotonic() + PATIENCE
        while name in missing() and not failure() and time.monotonic() < end:
            time.sleep(0.2)
        importlib.invalidate_caches()
        why = failure()
        if name in missing() and not (why and search(name, target)[0]):
            why = f"could not be installed yet: {why}" if why else "is still being installed by Easel"
            raise ModuleNotFoundError(f"{name} {why}. Easel's window shows the progress. Try again later.", name=name)
        return search(name, target)[0]


def install():
    names = missing()
    if names:
        sys.meta_path.insert(0, Finder(names))
