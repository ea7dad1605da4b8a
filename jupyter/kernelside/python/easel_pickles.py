"""Pickles figures for easel_figures, beside the user's code.

Of each figure there may be two pickles. One is for this process: it refers to functions and
classes that exist only here. The other can be loaded by any process of the same environment; Easel
takes it from the outbox and stores it.
"""

import collections
import contextlib
import copyreg
import ctypes
import io
import os
import pickle
import sys
import threading
import time
import types
import zlib

LARGEST = 24 << 20  # bytes of one figure
LONG = 2.0  # seconds after which a figure is pickled while code runs
MANY = 6  # figures with which the worker does not wait until the kernel is idle
PAUSE = 0.2  # seconds until a figure of which a picture was just being made is tried again
PATIENCE = 3.0  # seconds that pickling a figure may take
MOST_STUCK = 2  # threads that do not return from pickling; then no more figures are pickled
MOST_STORED = 8 << 20  # bytes of a figure that Easel stores
MOST_WAITING = 64 << 20  # bytes in the outbox
MOST_REASONS = 512  # in the outbox
EASELS = os.environ.get("EASEL_CLOUDPICKLE", "")  # Easel's cloudpickle, for environments without one


class Outbox:
    """What Easel is to store, until it takes it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = collections.deque()  # names, pickles and the reason why there are none

    def put(self, names, packed):
        """Adds what pack returned for a figure."""
        size = sum(map(len, packed))
        if size > MOST_STORED:
            return self.refuse(names, "large")
        with self.lock:
            full = size + sum(sum(map(len, p)) for _, p, _ in self.waiting if p) > MOST_WAITING
            self.waiting.append((sorted(names), None if full else packed, "old" if full else ""))

    def refuse(self, names, why):
        """Adds that a figure cannot be stored."""
        with self.lock:
            if len(self.waiting) < MOST_REASONS:
                self.waiting.append((sorted(names), None, why))

    def take(self, received):
        """Returns the names of a figure, its pickles and why there are none.

        It stays in the outbox until Easel says that it has received it: an answer may be lost.
        """
        with self.lock:
            if self.waiting and self.waiting[0][0] == received:
                self.waiting.popleft()
            return self.waiting[0] if self.waiting else ([], None, "")

    def clear(self):
        with self.lock:
            self.waiting.clear()


def pack(how, figure):
    """Returns how a figure was printed, and its pickle, as they are stored, or why that is impossible."""
    try:
        data = pickle.dumps(how, 5)
    except Exception as e:
        return None, describe(e)
    if b"__main__" in data:
        return None, "main"
    return (zlib.compress(data, 6), zlib.compress(figure, 1)), ""


class Worker(threading.Thread):
    """Pickles figures beside the user's code, until none is left.

    Code of the user may run here, for example a __reduce__, and may not return. Then the thread is
    given up, and what it pickles stays a reference.
    """

    def __init__(self, keeper):
        super().__init__(name="easel-figures", daemon=True)
        self.keeper = keeper
        self.wake = threading.Event()  # the kernel is idle, many figures wait, or somebody waits for one
        self.first = None  # the figure that somebody waits for
        self.doing, self.began = None, 0.0
        self.given_up = False

    def works(self):
        """Whether this thread can be used. If it does not return, it is given up."""
        f = self.doing
        if f is not None and not self.given_up and time.monotonic() - self.began > PATIENCE:
            self.given_up = True
            self.keeper.stuck += 1
            self.keeper.fix(f, "slow")
            # It has an effect as soon as the thread runs Python again.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(Slow))
        return self.is_alive() and not self.given_up

    def run(self):
        try:
            f = self.chosen()
            while f is not None:
                self.pickle(f)
                f = self.chosen()
        except Slow:
            pass
        finally:
            if self.given_up:
                self.keeper.stuck -= 1

    def chosen(self):
        """Waits for a figure that is to be pickled now. Returns None if none is left."""
        while not self.given_up:
            with self.keeper.lock:
                due = self.keeper.due()
                if not due:
                    if self.keeper.worker is self:
                        self.keeper.worker = None
                    return None
            wait = due[0].since + LONG - time.monotonic()
            if self.wake.is_set() or wait <= 0:
                return self.first if self.first in due else due[0]
            self.wake.wait(wait)
        return None

    def pickle(self, f):
        self.began, self.doing = time.monotonic(), f
        try:
            self.keeper.pickled(f)
        finally:
            self.doing = None
        if self.first is None or self.first.done.is_set():
            self.wake.clear()
        if not f.done.is_set():
            f.since = time.monotonic()  # it was being printed
            time.sleep(PAUSE)


class Slow(BaseException):
    """Pickling a figure takes too long."""


class TooLarge(Exception):
    """A figure takes more than LARGEST bytes."""


class Bounded(io.BytesIO):
    """A file that refuses more than LARGEST bytes."""

    def write(self, data):
        if self.tell() + memoryview(data).nbytes > LARGEST:
            raise TooLarge
        return super().write(data)


class Pickler(pickle.Pickler):
    """Pickles a figure, but refers to functions, classes and modules, which exist only here."""

    def __init__(self, file):
        super().__init__(file, 5)
        self.refs = []

    def persistent_id(self, value):
        if not isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)):
            return None
        for cell in getattr(value, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # an empty cell
                if getattr(cell.cell_contents, "nbytes", 0) > 1 << 20:
                    raise TooLarge
        self.refs.append(value)
        return len(self.refs) - 1


class Unpickler(pickle.Unpickler):
    """Loads a figure of this kernel."""

    def __init__(self, f):
        super().__init__(io.BytesIO(f.data))
        self.refs = f.refs

    def persistent_load(self, pid):
        return self.refs[pid]


def dump(figure):
    """Pickles a figure so that loading it does not register it in pyplot.

    Returns the pickle for this process and what it refers to there, and the pickle for any process, or
    why there is none.
    """

    def reduced(fig):
        how, args, state, *rest = fig.__reduce_ex__(4)
        if isinstance(state, dict):
            state.pop("_restore_to_pylab", None)
        return (how, args, state, *rest)

    def dumped(make):
        file = Bounded()
        pickler = make(file)
        others = getattr(pickler, "dispatch_table", copyreg.dispatch_table)
        pickler.dispatch_table = collections.ChainMap({type(figure): reduced}, others)
        pickler.dump(figure)
        return file.getvalue(), getattr(pickler, "refs", ())

    try:
        data, refs = dumped(lambda file: pickle.Pickler(file, 5))
        if b"__main__" not in data:  # another process has other classes and functions of that name
            return data, refs, data, ""
    except TooLarge:
        raise
    except Exception:
        data, refs = dumped(Pickler)
    try:
        return data, refs, dumped(lambda file: by_value().Pickler(file, protocol=5))[0], ""
    except TooLarge:
        return data, refs, None, "large"
    except ImportError:
        return data, refs, None, "main"
    except Exception as e:
        return data, refs, None, describe(e)


def by_value():
    """Returns cloudpickle, which pickles functions and classes of __main__ by value: the environment's own, or Easel's."""
    try:
        import cloudpickle
    except ImportError:
        if not os.path.isfile(os.path.join(EASELS, "__init__.py")):
            raise
        import importlib.util

        spec = importlib.util.spec_from_file_location("cloudpickle", os.path.join(EASELS, "__init__.py"), submodule_search_locations=[EASELS])
        cloudpickle = importlib.util.module_from_spec(spec)
        sys.modules["cloudpickle"] = cloudpickle  # a pickle refers to it by this name
        try:
            spec.loader.exec_module(cloudpickle)
        except BaseException:
            del sys.modules["cloudpickle"]
            raise
    return cloudpickle


def describe(error):
    """Says in a few words what cannot be pickled."""
    text = str(error) if isinstance(error, (TypeError, AttributeError, pickle.PicklingError)) else ""
    return ("%s: %s" % (type(error).__name__, text.splitlines()[0]) if text else type(error).__name__)[:200]
