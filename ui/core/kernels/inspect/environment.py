"""Says what this process runs in: which Python, which distributions it has imported modules of, and
which lock file and commit belong to its directory.

Easel loads it into a kernel once, as a module that no name of the user's refers to. It imports
nothing of the user's and runs no program. What takes time is remembered, so an answer without news
costs less than a millisecond.
"""

import functools
import hashlib
import json
import os
import re
import stat
import sys
import time
import types

MOST_TIME = 0.1  # seconds that one answer may search for; the next one continues
MOST_PACKAGES = 300
LARGEST = 16 << 20  # bytes of a file that is read
LARGEST_LOCK = 64 << 20  # bytes of a lock file; a larger one takes too long to hash
SHORT = 4096  # bytes of a file of git's with one line
LOCKS = ("uv.lock", "poetry.lock", "pixi.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "conda-lock.yml", "requirements.lock")
DISTRIBUTION = re.compile(r"(?P<name>.+?)(-(?P<version>[^-]+))?(-py[\d.]+)?\.(dist|egg)-info$")
COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
BEGINNINGS = re.compile(rb"^([^/,\n]+)(?:/([^/,\n]+))?", re.M)  # of the paths in RECORD
MODULE_FILE = re.compile(rb"([^.]+)\.(?:py|so|pyd|cpython|abi3|cp3)")


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
        try:
            directory = os.getcwd()
        except OSError:  # it was deleted
            directory = ""
        modules = self.imported()
        used = {u for n in set(map(named, list(ns.values()))) for u in self.units(n)}.intersection(modules)
        more = self.assign(modules)
        project = self.project(directory)
        key = hashlib.sha256(repr((directory, sorted(modules), sorted(used), more, sorted(project.items()))).encode("utf-8", "replace")).hexdigest()
        if key == known:
            return {"key": key}
        found, easels = {}, added()
        for module in modules:
            dist = self.owner(module)
            if dist is not None and os.path.dirname(dist.path) not in easels:
                p = found.setdefault(dist.name, {"name": dist.name[:100], "version": dist.version[:100], "used": False})
                p["used"] = p["used"] or module in used
                if dist.source():
                    p["source"] = dist.source()[:500]
        packages = sorted(found.values(), key=lambda p: (not p["used"], p["name"]))[:MOST_PACKAGES]
        return dict(
            project, key=key, more=more, language="Python", version=sys.version.split()[0][:100], executable=executable(), directory=directory,
            packages=packages, host=host(),
        )

    def imported(self):
        """Returns the imported modules that are not Python's own, without those inside others. A
        namespace that distributions share stands for those in it."""
        last = next(reversed(sys.modules), None)
        at = (len(sys.modules), last if type(last) is str else id(last))  # comparing another key would call its code
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

    def assign(self, modules):
        """Finds the distributions of modules. Returns whether there was not enough time."""
        left = [m for m in modules if self.owners.get(m, (0,))[0] != id(sys.modules.get(m))]
        hidden = {}  # by directory: modules whose distribution is called differently
        site = functools.lru_cache(maxsize=None)(self.site)  # thousands of modules may be from one directory
        for module in left:
            directory, path = self.home(module) or ("", "")
            if not directory:  # something else has been put in its place
                self.own(module, None)
                continue
            here = site(directory)
            dist = here.dists.get(normal(module)) or here.known(path)
            if dist is None and here.dists and not module.startswith("_"):  # a private one belongs to a package that is found
                hidden.setdefault(directory, {})[path] = module
                continue
            if dist is None:  # it is not where it is installed
                dist = next((d for d in (site(p).dists.get(normal(module)) for p in list(sys.path) if type(p) is str and p) if d), None)
            self.own(module, dist)
        until = time.monotonic() + MOST_TIME
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
            return Distribution(dist.name, version, dist.path, origin="")
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
        """Returns the hash of a lock file, or "" if it cannot be read or is too large."""
        try:
            info = os.stat(path)
        except OSError:
            return ""
        known = self.locks.get(path)
        if known is None or known[:2] != (info.st_mtime_ns, info.st_size):
            content = read(path, LARGEST_LOCK + 1)
            digest = hashlib.sha256(content).hexdigest() if content and len(content) <= LARGEST_LOCK else ""
            known = self.locks[path] = (info.st_mtime_ns, info.st_size, digest)
        return known[2]


class Distribution:
    def __init__(self, name, version, path, origin=None):
        self.name, self.version, self.path, self.origin = name, version, path, origin

    def source(self):
        """Returns what it was installed from, if that was no index."""
        if self.origin is None:
            self.origin = source(self.path)
        return self.origin


class Site:
    """The distributions that are installed in a directory, as it was at a time."""

    def __init__(self, directory, at):
        self.at, self.found, self.dists = at, {}, {}  # found: what owns a module, by its path
        try:
            names = os.listdir(directory)
        except (OSError, ValueError):  # not a path at all
            names = ()
        for entry in names:
            m = DISTRIBUTION.match(entry)
            if m:
                path = os.path.join(directory, entry)
                name = normal(m.group("name"))
                self.dists[name] = Distribution(name, m.group("version") or header(path), path)
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
            found = set(text(os.path.join(dist.path, "top_level.txt")).split("\n"))
            if found == {""} or any("/" in p for p in left):
                found = modules(read(os.path.join(dist.path, "RECORD")))
            for path in left.intersection(found):
                self.found[path] = dist
                left.discard(path)
        return True


def modules(files):
    """Returns the paths of the modules in a list of files: packages, files and extensions, at most
    one directory deep."""
    found = set()
    for top, inner in set(BEGINNINGS.findall(files)):
        for name, before in ((top, b""), (inner, top + b"/")):
            m = MODULE_FILE.match(name)
            found.update(before + n for n in (name, m.group(1) if m else b"") if n)
    return {path.decode("utf-8", "replace") for path in found}


def home(name, module):
    space = types.ModuleType.__dict__["__dict__"].__get__(module)
    file = space.get("__file__")
    if type(file) is not str:
        spec = space.get("__spec__")
        return ("", "") if "__path__" in space and (type(spec) is not type(sys.__spec__) or spec.origin is None) else None
    try:
        file = os.path.abspath(file)
    except OSError:  # it is relative to a directory that was deleted
        return None
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


def read(path, most=LARGEST):
    """Returns the content of a file. Nothing is read from what is no regular file, such as a pipe:
    it might keep the kernel waiting."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as f:
            return f.read(most)
    except (OSError, ValueError):  # not a path at all
        return b""


def text(path, most=LARGEST):
    return read(path, most).decode("utf-8", "replace").strip()


def changed(path):
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):
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
    """Returns the commit that is checked out, read from git's files; "" if it is not found. A file
    may contain anything, and may name any other file, so only what looks like a commit is returned."""
    if os.path.isfile(git):  # a worktree or a submodule
        git = os.path.join(os.path.dirname(git), text(git, SHORT).partition("gitdir: ")[2])
    found = text(os.path.join(git, "HEAD"), SHORT)
    if found.startswith("ref: "):
        ref = found[5:]
        shared = text(os.path.join(git, "commondir"), SHORT)
        common = os.path.join(git, shared) if shared else git
        found = text(os.path.join(common, *ref.split("/")), SHORT) or packed(read(os.path.join(common, "packed-refs")), ref)
    return found if COMMIT.fullmatch(found) else ""


def packed(refs, ref):
    """Returns what a ref is in the content of packed-refs."""
    end = refs.find((" " + ref + "\n").encode("utf-8", "replace"))
    return refs[refs.rfind(b"\n", 0, end) + 1 : end].decode("utf-8", "replace") if end >= 0 else ""


def added():
    """Returns the directories with what Easel has added to the environment for the kernel: it is not the environment's own."""
    module = sys.modules.get("easel_packages")
    if not issubclass(type(module), types.ModuleType):
        return set()
    found = types.ModuleType.__dict__["__dict__"].__get__(module).get("ADDED")
    return {d for d in found if type(d) is str} if type(found) is tuple else set()


def executable():
    return sys.executable[:SHORT] if type(sys.executable) is str else ""  # the user may have changed it


def host():
    if hasattr(os, "uname"):
        return os.uname()[1]
    import platform

    return platform.node()


def started():
    """Returns when this process began."""
    try:
        return sys.modules["psutil"].Process().create_time()  # ipykernel has imported it
    except Exception:
        return time.time()


recorder = Recorder()
