"""Makes this process or its working directory hostile in one way, and checks what environment.py,
which is the input, says of it.
"""

import hashlib
import json
import os
import signal
import sys
import time
import types

PATIENCE = 60  # seconds; an attack that succeeds may keep it waiting for ever
MOST_TIME = 0.4  # seconds of the processor's time for one answer, which should take 0.1

module = types.ModuleType("easel_environment")
exec(compile(sys.stdin.buffer.read(), "<easel>", "exec"), module.__dict__)


def ask(ns=None):
    said = {"key": "", "more": True}  # what has not changed is not said again
    while said["more"]:
        began = time.process_time()
        now = json.loads(module.answer(ns or {}, said["key"], "text/plain").bundle["text/plain"])
        assert time.process_time() - began < MOST_TIME, time.process_time() - began
        said = now if "more" in now else said
    return said


def make(name, **space):
    m = sys.modules[name] = types.ModuleType(name)
    m.__dict__.update(space)
    return m


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(text)


class Mine:
    """A user's object: none of its code may run."""

    def __getattr__(self, name):
        raise AssertionError(name)

    def __eq__(self, other):
        raise AssertionError("compared")

    def __bool__(self):
        raise AssertionError("tested")

    __hash__ = object.__hash__


def spec():
    make("strange", __path__=[], __spec__=Mine())
    ask()


def deleted():
    make("relative", __file__="relative.py")
    os.rmdir(os.getcwd())
    assert ask()["directory"] == ""


def null():
    make("null", __file__="/a/\0/null.py")
    sys.path.insert(0, "/\0")
    write(".git", b"gitdir: a\0b\n")
    ask()


def surrogate():
    site = os.path.dirname(os.path.dirname(__import__("pip").__file__))
    name = "strange\udc80"
    ask({"x": make(name, __file__=os.path.join(site, name + ".py"))})


def many():
    site = os.path.dirname(os.path.dirname(__import__("pip").__file__))
    ns = {}
    for i in range(5000):
        for name, directory in (("in%d" % i, site), ("out%d" % i, "/nowhere/%d" % i)):
            ns[name] = make(name, __file__=os.path.join(directory, name + ".py"))
    said = ask(ns)
    assert not said["more"] and [p["name"] for p in said["packages"]] == ["pip"], said["packages"]


def pipe():
    os.mkfifo("uv.lock")
    assert "lock_file" not in ask()


def pipe_as_head():
    os.mkdir(".git")
    os.mkfifo(".git/HEAD")
    assert ask()["commit"] == ""


def unreadable():
    os.mkdir("uv.lock")
    write("poetry.lock", b"x")
    os.chmod("poetry.lock", 0)
    write("pdm.lock", b"x")
    said = ask()
    assert os.path.basename(said["lock_file"]) == ("poetry.lock" if os.geteuid() == 0 else "pdm.lock"), said


def large_lock():
    content = os.urandom(1 << 20) * 20
    write("uv.lock", content)
    assert ask()["lock_hash"] == hashlib.sha256(content).hexdigest()
    with open("uv.lock", "ab") as f:
        f.truncate(1 << 40)
    assert "lock_file" not in ask()


def head():
    write(".git/HEAD", b"x" * (40 << 20))
    assert ask()["commit"] == ""


def ref():
    write("secret", b"my password\n")
    write(".git/HEAD", b"ref: ../secret\n")
    assert ask()["commit"] == ""


def packed():
    write(".git/HEAD", b"ref: refs/heads/main\n")
    lines = ["%040x refs/tags/%d" % (i, i) for i in range(200000)]
    write(".git/packed-refs", "\n".join(["# pack-refs with: peeled"] + lines + ["%040x refs/heads/main" % 7, ""]).encode())
    assert ask()["commit"] == "%040x" % 7


def executable():
    sys.executable = Mine()
    assert ask()["executable"] == ""


def key():
    mine = Mine()
    sys.modules[mine] = module
    for _ in range(2):  # the first answer may import something
        ask()
    del sys.modules[mine]
    sys.modules[Mine()] = module
    ask()


def overlay():
    """What Easel has added is not the environment's own; nor do its directories come from the user's objects."""
    here = os.getcwd()
    for site, name in ("own", "pandas"), ("overlay", "tornado"):
        write(os.path.join(here, site, name + "-1.0.dist-info", "METADATA"), b"Version: 1.0")
        make(name, __file__=os.path.join(here, site, name + ".py"))
    easel = make("easel_packages", ADDED=(os.path.join(here, "overlay"), Mine(), ""))

    def listed():
        return {"pandas", "tornado"}.intersection(p["name"] for p in ask()["packages"])

    assert listed() == {"pandas"}
    for added in Mine(), (Mine(),), [os.path.join(here, "overlay")], None:
        easel.ADDED = added
        assert listed() == {"pandas", "tornado"}
    sys.modules["easel_packages"] = Mine()
    ask()


signal.alarm(PATIENCE)
globals()[sys.argv[1]]()
