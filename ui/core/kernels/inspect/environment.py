"""Says what this process runs in: which Python, which distributions it has imported modules of, and
which lock file and commit belong to its directory.

Easel loads it into a kernel once, as a module that no name of the user's refers to. It imports
nothing of the user's and runs no program. What takes time is remembered, so an answer without news
costs less than a millisecond.
"""

import hashlib
import json
import os
import re
import sys
import time
import types

MOST_TIME = 0.1  # seconds that one answer may take; the next one continues
MOST_PACKAGES = 300
LARGEST = 16 << 20  # bytes of a file that is read
LOCKS = ("uv.lock", "poetry.lock", "pixi.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "conda-lock.yml", "requirements.lock")
DISTRIBUTION = re.compile(r"(?P<name>.+?)(-(?P<version>[^-]+))?(-py[\d.]+)?\.(dist|egg)-info$")


class Answer:
    def __init__(self, value, mime):
        self.bundle = {mime: json.dumps(value)}

    def _repr_mimebundle_(self, **kwargs):
        return self.bundle


def answer(ns, known, mime):
    return Answer(recorder.describe(ns, known), mime)


class Recorder:
    """What is known about this process."""

    def __init__(self):
        self.started = started()
        self.looked, self.modules, self.spaces = None, set(), {}  # see imported
        self.homes = {}  # by module: the directory that it was imported from, and its path in it; None if it is Python's
        self.sites = {}  # by directory: the distributions in it
        self.owners = {}  # by module: its id, and its distribution; None if it has none
        self.locks = {}  # by path: time, size and hash

    def describe(self, ns, known):
        """Describes this process. If the last answer had the key known and nothing has changed,
        only the key is returned. With "more", a further answer knows more."""
        until = time.monotonic() + MOST_TIME
        try:
            directory = os.getcwd()
        except OSError:  # it was deleted
            directory = ""
        modules = self.imported()
        used = {u for n in set(map(named, list(ns.values()))) for u in self.units(n)}.intersection(modules)
        more = self.assign(modules, until)
        project = self.project(directory)
        key = hashlib.sha256(repr((directory, sorted(modules), sorted(used), more, sorted(project.items()))).encode("utf-8", "replace")).hexdigest()
        if key == known:
            return {"key": key}
        found = {}
        for module in modules:
            dist = self.owner(module)
            if dist is not None:
                p = found.setdefault(dist.name, {"name": dist.name[:100], "version": dist.version[:100], "used": False})
                p["used"] = p["used"] or module in used
                if dist.source:
                    p["source"] = dist.source[:500]
        packages = sorted(found.values(), key=lambda p: (not p["used"], p["name"]))[:MOST_PACKAGES]
        return dict(
            project, key=key, more=more, language="Python", version=sys.version.split()[0], executable=sys.executable or "", directory=directory,
            packages=packages, host=host(),
        )

    def imported(self):
        """Returns the imported modules that are not Python's own, without those inside others. A
        namespace that distributions share stands for those in it."""
        at = (len(sys.modules), next(reversed(sys.modules), None))
        if at != self.looked:
            names = [n for n in list(sys.modules) if type(n) is str]
            homes = {n: self.home(n) for n in names if "." not in n}
            self.modules = {n for n, home in homes.items() if home is not None and home[0]}
            self.spaces = {n: [] for n, home in homes.items() if home == ("", "")}
            for n in names:
                parts = n.split(".")
                if len(parts) == 2 and parts[0] in self.spaces and (self.home(n) or ("",))[0]:
                    self.spaces[parts[0]].append(n)
                    self.modules.add(n)
            self.looked = at
        return self.modules

    def units(self, name):
        """Returns what imported has for a module, or for what is inside it."""
        top, _, rest = name.partition(".")
        if top not in self.spaces:
            return (top,)
        return (top + "." + rest.partition(".")[0],) if rest else self.spaces[top]

    def home(self, name):
        """Returns where a module is from, and its path there: ("", "") for a namespace, None for a
        module of Python's own."""
        module = sys.modules.get(name)
        if not issubclass(type(module), types.ModuleType):
            return None
        known = self.homes.get(name)
        if known is None or known[0] != id(module):
            known = self.homes[name] = (id(module), home(name, module))
        return known[1]

    def assign(self, modules, until):
        """Finds the distributions of modules. Returns whether there was not enough time."""
        left = [m for m in modules if self.owners.get(m, (0,))[0] != id(sys.modules.get(m))]
        hidden = {}  # by directory: modules whose distribution is called differently
        for module in left:
            directory, path = self.home(module)
            site = self.site(directory)
            dist = site.dists.get(normal(module)) or site.known(path)
            if dist is None and site.dists and not module.startswith("_"):  # a private one belongs to a package that is found
                hidden.setdefault(directory, {})[path] = module
                continue
            if dist is None:  # it is not where it is installed
                dist = next((d for d in (self.site(p).dists.get(normal(module)) for p in list(sys.path) if type(p) is str and p) if d), None)
            self.own(module, dist)
        for directory, paths in hidden.items():
            if not self.site(directory).search(set(paths), until):
                return True
            for path, module in paths.items():
                self.own(module, self.site(directory).known(path))
        return False

    def owner(self, module):
        """Returns the distribution of a module; None if it has none, or it is not known yet."""
        return self.owners.get(module, (0, None))[1]

    def own(self, module, dist):
        self.owners[module] = (id(sys.modules.get(module)), dist and self.loaded(dist, module))

    def loaded(self, dist, module):
        """Returns the distribution that was imported: another version may have been installed since."""
        version = types.ModuleType.__dict__["__dict__"].__get__(sys.modules.get(module)).get("__version__")
        if type(version) is str and not same(version, dist.version) and changed(dist.path) > self.started:
            return Distribution(dist.name, version, dist.path, "")
        return dist

    def site(self, directory):
        at = changed(directory)
        site = self.sites.get(directory)
        if site is None or site.at != at:
            site = self.sites[directory] = Site(directory, at)
        return site

    def project(self, directory):
        """Returns the lock file and the commit of a directory's project."""
        found, home = {}, os.path.expanduser("~")
        while directory and directory != home and os.path.dirname(directory) != directory:
            for name in LOCKS if "lock_file" not in found else ():
                path = os.path.join(directory, name)
                digest = self.hash(path)
                if digest:
                    found.update(lock_file=path, lock_hash=digest)
                    break
            git = os.path.join(directory, ".git")
            if os.path.exists(git):
                found["commit"] = commit(git)
                break
            directory = os.path.dirname(directory)
        return found

    def hash(self, path):
        try:
            info = os.stat(path)
        except OSError:
            return ""
        known = self.locks.get(path)
        if known is None or known[:2] != (info.st_mtime_ns, info.st_size):
            known = self.locks[path] = (info.st_mtime_ns, info.st_size, hashlib.sha256(read(path)).hexdigest())
        return known[2]


class Distribution:
    def __init__(self, name, version, path, source):
        self.name, self.version, self.path, self.source = name, version, path, source


class Site:
    """The distributions that are installed in a directory, as it was at a time."""

    def __init__(self, directory, at):
        self.at, self.found, self.dists = at, {}, {}  # found: what owns a module, by its path
        try:
            names = os.listdir(directory)
        except OSError:
            names = ()
        for entry in names:
            m = DISTRIBUTION.match(entry)
            if m:
                path = os.path.join(directory, entry)
                name = normal(m.group("name"))
                self.dists[name] = Distribution(name, m.group("version") or header(path), path, source(path))
        self.unread, self.sought = [], set()

    def known(self, path):
        return self.found.get(path)

    def search(self, paths, until):
        """Looks for what modules belong to, in the lists of the distributions' files. Returns
        whether it has finished."""
        if paths != self.sought:
            self.unread, self.sought = list(self.dists.values()), paths
        left = paths.difference(self.found)
        while self.unread and left:
            if time.monotonic() > until:
                return False
            dist = self.unread.pop()
            names = read(os.path.join(dist.path, "top_level.txt")).replace(b"\n", b"/\n")
            files = b"\n" + (names if names and not any("/" in p for p in left) else read(os.path.join(dist.path, "RECORD")))
            for path in [p for p in left if contains(files, p.encode())]:
                self.found[path] = dist
                left.discard(path)
        return True


def contains(files, path):
    """Whether a module is in a list of files, as a package, a file or an extension."""
    return any(b"\n" + path + end in files for end in (b"/", b".py", b".so", b".pyd", b".cpython", b".abi3", b".cp3"))


def home(name, module):
    space = types.ModuleType.__dict__["__dict__"].__get__(module)
    file = space.get("__file__")
    if type(file) is not str:
        return ("", "") if "__path__" in space and getattr(space.get("__spec__"), "origin", None) is None else None
    file = os.path.abspath(file)
    directory, base = os.path.split(file)
    if base.startswith("__init__."):
        directory = os.path.dirname(directory)
    for _ in range(name.count(".")):
        directory = os.path.dirname(directory)
    return None if directory in PYTHON or name.startswith("easel_") else (directory, name.replace(".", "/"))


PYTHON = {os.path.dirname(os.path.abspath(os.__file__))}
PYTHON.update(os.path.join(d, "lib-dynload") for d in list(PYTHON))
PYTHON.add(os.path.join(sys.base_prefix, "DLLs"))


def named(v):
    """Returns the name of the module that a value is, or is from; "" if it is neither."""
    if issubclass(type(v), types.ModuleType):
        name = types.ModuleType.__dict__["__dict__"].__get__(v).get("__name__")
    elif type(v) in (types.FunctionType, types.BuiltinFunctionType, type):
        name = v.__module__
    else:
        return ""
    return name if type(name) is str else ""


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def same(a, b):
    """Whether two versions are the same, perhaps with a part that only one of them has."""
    return (a + ".").startswith(b + ".") or (b + ".").startswith(a + ".") or a.partition("+")[0] == b.partition("+")[0]


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read(LARGEST)
    except OSError:
        return b""


def text(path):
    return read(path).decode("utf-8", "replace").strip()


def changed(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def header(path):
    """Returns the version in a distribution's metadata, for one whose directory does not name it."""
    m = re.search(r"^Version: *(\S+)", text(os.path.join(path, "PKG-INFO")) or text(os.path.join(path, "METADATA")), re.M)
    return m.group(1) if m else ""


def source(path):
    """Returns what a distribution was installed from, if that was no index; see PEP 610."""
    raw = read(os.path.join(path, "direct_url.json"))
    try:
        said = json.loads(raw) if raw else {}
        url = re.sub(r"//[^/@]*@", "//", said.get("url", ""))
        vcs = said.get("vcs_info") or {}
        return (vcs["vcs"] + "+" + url + "@" + vcs["commit_id"]) if vcs else url
    except Exception:  # it is damaged
        return ""


def commit(git):
    """Returns the commit that is checked out, read from git's files; "" if it is not found."""
    if os.path.isfile(git):  # a worktree or a submodule
        git = os.path.join(os.path.dirname(git), text(git).partition("gitdir: ")[2])
    head = text(os.path.join(git, "HEAD"))
    if not head.startswith("ref: "):
        return head
    ref = head[5:]
    shared = text(os.path.join(git, "commondir"))
    common = os.path.join(git, shared) if shared else git
    m = re.search("^([0-9a-f]{40,64}) " + re.escape(ref) + "$", text(os.path.join(common, "packed-refs")), re.M)
    return text(os.path.join(common, *ref.split("/"))) or (m.group(1) if m else "")


def host():
    import platform

    return platform.node()


def started():
    """Returns when this process began."""
    try:
        return sys.modules["psutil"].Process().create_time()  # ipykernel has imported it
    except Exception:
        return time.time()


recorder = Recorder()
