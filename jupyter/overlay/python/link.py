# Fills a directory with links to what ipykernel needs from the environment of this Python.
# Reads {"installed", "requirements", "without", "target"} and prints the conflict with what
# the other environment has installed; nothing if there is none.
import importlib.metadata
import json
import os
import shutil
import sys

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(requirements, installed, without):
    """Returns the distributions to link."""
    here = {canonicalize_name(d.name): d for d in importlib.metadata.distributions()}
    found, todo = {}, [Requirement(r) for r in requirements]
    for r in todo:
        name = canonicalize_name(r.name)
        if name in without or r.marker and not r.marker.evaluate({"extra": ""}):
            continue
        version = installed.get(name) or here[name].version
        if not r.specifier.contains(version, prereleases=True):
            sys.exit("%s %s is not %s" % (name, version, r))
        if name not in found and name not in installed:
            found[name] = here[name]
            todo += map(Requirement, here[name].requires or ())
    return found.values()


def link(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        os.link(os.path.realpath(source), target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)


def main():
    order = json.load(sys.stdin)
    for distribution in needed(order["requirements"], order["installed"], order["without"]):
        files = [f.parts for f in distribution.files if f.parts[0] not in ("..", "__pycache__")]
        root = str(distribution.locate_file(""))
        for single in {parts[0] for parts in files if len(parts) == 1}:
            link(os.path.join(root, single), os.path.join(order["target"], single))
        for top in {parts[0] for parts in files if len(parts) > 1}:
            for directory, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    source = os.path.join(directory, name)
                    link(source, os.path.join(order["target"], os.path.relpath(source, root)))


main()
