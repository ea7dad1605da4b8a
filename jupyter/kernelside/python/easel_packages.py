"""%pip and %uv for the environment of the kernel.

An environment that uv made has no pip, one of a project with a lock file loses what is
installed past it, and a layer of Easel's own Python (easel_layers.py) ends with its session.
So %pip runs uv where there is no pip, and both say how to keep what they installed.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys

RECORDERS = {"uv.lock": "uv add", "poetry.lock": "poetry add", "pixi.lock": "pixi add", "pdm.lock": "pdm add", "Pipfile.lock": "pipenv install"}
ELSEWHERE = ("poetry.lock", "pixi.lock", "Pipfile.lock")  # their tools may keep environments outside of the project
QUESTIONS = ("cache", "check", "config", "debug", "freeze", "help", "inspect", "list", "show", "tree")  # their failures are answers
PLAIN = {"-U", "--upgrade", "-q", "--quiet", "--pre", "--no-deps", "--force-reinstall", "--no-index"}  # options without a value


class InstallError(Exception):
    """An installer has failed. What it has printed says why, so no traceback does."""

    def _render_traceback_(self):
        return ["InstallError: %s" % self]


def load_ipython_extension(shell):
    """Replaces IPython's magics in a kernel of Easel's own Python."""
    register(shell, layered=True)


def register(shell, layered=False):
    """Replaces IPython's magics."""
    plain, plain_system = shell.find_line_magic("pip"), shell.system

    def system(command):
        plain_system(command)
        said = elsewhere(command)
        if said:
            print(said)

    def run(line, words):
        plain_system("uv " + line)
        importlib.invalidate_caches()
        return succeeded("uv", words)

    def succeeded(program, words):
        """Whether the program that has run did what it should. If it could not, the code has failed."""
        code = shell.user_ns.get("_exit_code")
        interrupted = not isinstance(code, int) or code < 0 or code > 128
        if code != 0 and not interrupted and words[:1] and words[0] not in QUESTIONS and words[0][:1] != "-":
            raise InstallError("%s %s has failed (exit code %d)." % (program, words[0], code))
        return code == 0

    def pip(line):
        """Runs pip for the kernel's environment; uv's if it has no pip."""
        words, before = split(line), versions()
        if importlib.util.find_spec("pip") is not None:
            plain(hasty(line, words))
            done = succeeded("pip", words)
        elif shutil.which("uv") is None:
            raise InstallError("This environment has no pip, and uv was not found.")
        else:
            if words[:1] == ["uninstall"]:
                line = " ".join(w for w in line.split() if w not in ("-y", "--yes"))
            done = run("pip " + line + here(words), words)
        importlib.invalidate_caches()
        if done:
            tell(words, layered, before)

    def uv_magic(line):
        """Runs uv for the kernel's environment."""
        words, before = split(line), versions()
        if shutil.which("uv") is None:
            raise InstallError("uv was not found.")
        inner = words[1:] if words[:1] == ["pip"] else words
        if not run(line + (here(inner) if inner is not words else ""), inner):
            return
        if inner is not words:
            tell(inner, layered, before)
        else:
            restart(before)

    shell.register_magic_function(pip, "line", "pip")
    shell.register_magic_function(uv_magic, "line", "uv")
    shell.system = system


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


def hasty(line, words):
    """Returns a line with which pip repeats a request once. Without a network, it repeats each five
    times, with a warning of three lines. What the user has set stays."""
    chosen = os.environ.get("PIP_RETRIES") or any(w.startswith("--retries") for w in words)
    return line if chosen or words[:1] != ["install"] else line.replace("install", "install --retries 1", 1)


INSTALLER = re.compile(  # a command of the shell that installs
    r"(?:^|[;&|(])\s*(?:sudo\s+)?(?P<program>[^\s;&|()]*?(?:pip[\d.]*|python[\d.]*|uv))"
    r"(?P<module>\s+-m\s+pip|\s+pip)?\s+install\b(?P<rest>[^;&|]*)"
)


def elsewhere(command):
    """Returns what to say after a command of the shell that installs packages, if it does so for another Python; otherwise "". An
    environment that uv made has no pip, so the first one on PATH may be the system's."""
    m = INSTALLER.search(command)
    if not m or {"--target", "-t", "--prefix", "--python", "-p", "--user"}.intersection(split(m.group("rest"))):
        return ""
    path = shutil.which(m.group("program"))
    if os.path.basename(m.group("program")) == "uv":
        chosen = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX") or ""
        ours = "--system" not in m.group("rest") and os.path.realpath(chosen) == os.path.realpath(sys.prefix)
    else:
        prefix = os.path.realpath(os.path.dirname(os.path.dirname(path or os.path.devnull)))
        ours = prefix == os.path.realpath(sys.prefix) and (not m.group("module") or importlib.util.find_spec("pip") is not None)
    if ours:
        return ""
    what = path if path and not m.group("module") else " ".join((m.group("program") + (m.group("module") or "")).split())
    return "%s does not install for this kernel's Python. %%pip install%s installs in its environment, %s." % (what, m.group("rest").rstrip(), sys.prefix)


def versions():
    """Returns the versions of the distributions that the kernel sees, by their normal names."""
    found = {}
    for directory in sys.path:
        try:
            names = os.listdir(directory or ".")
        except OSError:
            continue
        for name in names:
            m = re.match(r"(.+?)-(\d[^-]*)\.dist-info$", name)
            if m:
                found.setdefault(normal(m.group(1)), m.group(2))
    return found


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def restart(before):
    """Says which packages are still used in the version that was imported before the installation."""
    importlib.invalidate_caches()
    now = versions()
    for name in sorted(n for n in now if before.get(n, now[n]) != now[n]):
        try:
            found = importlib.metadata.distribution(name)
            modules = (found.read_text("top_level.txt") or "").split() or {f.parts[0].partition(".")[0] for f in found.files or ()}
        except importlib.metadata.PackageNotFoundError:
            continue
        if any(m in sys.modules for m in modules):
            print("%s %s is imported. Restart the session to use %s." % (name, before[name], now[name]))


def tell(words, layered, before):
    """Says which command keeps what was installed, and what becomes of packages outside of the environment."""
    if words[:1] not in (["install"], ["uninstall"]):
        return
    given = [w for before, w in zip(words, words[1:]) if not w.startswith("-") and (before in PLAIN or before in ("-y", "--yes") or before[:1] != "-")]
    for line in stays(given, words[0], layered):
        print(line)
    if words[0] == "uninstall":
        return
    restart(before)
    recorder = lock(layered)
    names = [quoted(w) for w in given if not (recorder and locked(recorder, w))]
    if recorder and names:
        print("Not in %s yet. To record it: %s %s" % (os.path.basename(recorder), RECORDERS[os.path.basename(recorder)], " ".join(names)))
    elif layered:
        print(lasts(names or ["NAME"]))


def stays(given, command, layered):
    """Returns what to say about given packages that the environment sees and that are not in it: pip and uv leave
    those alone, and pip says so as if something had failed."""
    prefix = os.path.realpath(sys.prefix) + os.sep
    shared = ("site-packages", "dist-packages")  # a folder of sources is the user's own
    outside = [p for p in sys.path if os.path.basename(p) in shared and not (os.path.realpath(p) + os.sep).startswith(prefix)]
    owner = "Easel's own Python" if layered else "the Python that this environment is based on"
    for word in given:
        named = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", word)
        found = named and next(iter(importlib.metadata.distributions(name=named.group(), path=outside)), None)
        if found and command == "uninstall":
            yield "%s %s belongs to %s, which others use as well, so it stays. A version that you install here is used instead." % (
                named.group(), found.version, owner)
        elif found and next(iter(importlib.metadata.distributions(name=named.group(), path=[p for p in sys.path if p not in outside])), None):
            yield "%s %s of %s stays as it is; what you installed is used instead." % (named.group(), found.version, owner)


def lasts(names):
    """Says how long packages in a layer last."""
    return "Installed for this session only. To keep it for all, in a terminal: easel env add " + " ".join(names)


def locked(lock, word):
    """Whether a lock file has the installed version of a given package."""
    named = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", word)
    version = versions().get(normal(named.group())) if named else None
    if not version:
        return False
    try:
        with open(lock, encoding="utf-8") as f:
            text = f.read()
    except (OSError, ValueError):
        return False
    name, number = re.escape(normal(named.group())).replace(r"\-", "[-_.]+"), re.escape(version)
    return bool(re.search(
        r'(?im)^name = "%(n)s"\s+version = "%(v)s"'  # uv, poetry, pdm
        r'|^\s*"%(n)s": \{[^{}]*"version": "==%(v)s"'  # pipenv
        r"|/%(n)s-%(v)s[-.]|^[-\s]+name: %(n)s\s+version: %(v)s$" % {"n": name, "v": number}, text))  # pixi


def lock(layered):
    """Returns the path of the project's lock file, or None. An environment outside of the project
    is not the one that a lock describes, unless its tool keeps them there."""
    for start in (os.path.dirname(sys.prefix), os.getcwd()):
        directory = start
        while True:
            for name in RECORDERS:
                if os.path.isfile(os.path.join(directory, name)):
                    home = os.path.realpath(os.path.dirname(sys.prefix))  # .venv may be a link to elsewhere
                    inside = (home + os.sep).startswith(os.path.realpath(directory) + os.sep)
                    return os.path.join(directory, name) if layered or inside or name in ELSEWHERE else None
            parent = os.path.dirname(directory)
            if parent == directory or os.path.exists(os.path.join(directory, ".git")):
                break
            directory = parent
    return None
