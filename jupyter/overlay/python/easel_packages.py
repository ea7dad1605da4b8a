"""%pip and %uv for the environment of the kernel.

An environment that uv made has no pip, and one of a project with a lock file loses what is
installed past it. So %pip runs uv where there is no pip, and both say how to record what they
installed.
"""

import importlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys

RECORDERS = {"uv.lock": "uv add", "poetry.lock": "poetry add", "pixi.lock": "pixi add", "pdm.lock": "pdm add", "Pipfile.lock": "pipenv install"}


def register(shell):
    """Replaces IPython's magics."""
    plain = shell.find_line_magic("pip")

    def run(line):
        shell.system("uv " + line)
        importlib.invalidate_caches()
        return shell.user_ns.get("_exit_code") == 0

    def pip(line):
        """Runs pip for the kernel's environment; uv's if it has no pip."""
        words = split(line)
        if importlib.util.find_spec("pip") is not None:
            plain(line)
            done = shell.user_ns.get("_exit_code") == 0
        elif shutil.which("uv") is None:
            print("This environment has no pip, and uv was not found.", file=sys.stderr)
            return
        else:
            if words[:1] == ["uninstall"]:
                line = " ".join(w for w in line.split() if w not in ("-y", "--yes"))
            done = run("pip " + line + here(words))
        if done:
            tell(words)

    def uv_magic(line):
        """Runs uv for the kernel's environment."""
        words = split(line)
        if shutil.which("uv") is None:
            print("uv was not found.", file=sys.stderr)
        elif run(line + (here(words[1:]) if words[:1] == ["pip"] else "")) and words[:1] == ["pip"]:
            tell(words[1:])

    shell.register_magic_function(pip, "line", "pip")
    shell.register_magic_function(uv_magic, "line", "uv")


def split(line):
    try:
        return shlex.split(line, posix=os.name != "nt")
    except ValueError:
        return line.split()


def quoted(path):
    return subprocess.list2cmdline([path]) if os.name == "nt" else shlex.quote(path)


def here(words):
    """Returns the argument that makes uv's pip use this environment."""
    chosen = {"--python", "-p", "--system", "--target", "--prefix"}.intersection(words)
    known = words[:1] and words[0] in ("install", "uninstall", "list", "freeze", "show", "check", "tree", "sync")
    return " --python " + quoted(sys.executable) if known and not chosen else ""


def tell(words):
    """Says which command records what was installed, if the project has a lock file."""
    names = [quoted(w) for w in words[1:] if not w.startswith("-")]
    recorder = lock()
    if words[:1] == ["install"] and names and recorder:
        print("Not in %s yet. To record it: %s %s" % (recorder, RECORDERS[recorder], " ".join(names)))


def lock():
    """Returns the name of the project's lock file, or None."""
    for start in (os.path.dirname(sys.prefix), os.getcwd()):
        directory = start
        while True:
            for name in RECORDERS:
                if os.path.isfile(os.path.join(directory, name)):
                    return name
            parent = os.path.dirname(directory)
            if parent == directory or os.path.exists(os.path.join(directory, ".git")):
                break
            directory = parent
    return None
