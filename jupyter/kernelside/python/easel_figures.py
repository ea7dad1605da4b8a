"""Keeps the figures that a kernel displays, so that Easel can draw them again.

A displayed figure is found by the SHA-256 of its picture, so no message has to name it.
While code runs, a figure is only referenced, which takes no time. Once the kernel is idle, or
code has run for long, a thread replaces the reference by a pickle. So a later change of the
figure does not change what was displayed, and code that draws does not wait. Easel takes a copy
of a pickle that other processes can load, too, so that a figure outlives its kernel.

The module acts when IPython and matplotlib are imported, at no cost until then. It adds no
name to the user's namespace and no figure to pyplot.
"""

import collections
import contextlib
import io
import sys
import threading
import time

import easel_pickles

MOST = 32  # figures
MOST_BYTES = 48 << 20  # of all figures together
MOST_LIVE = 12  # figures that are referenced, because nothing has been idle yet or they cannot be pickled
PAUSE = 0.2  # seconds without an execution after which the kernel is taken to be idle
PLAIN = ("matplotlib.backends.backend_agg", "matplotlib.backend_bases")  # canvases of figures that no window shows
FORGOTTEN = 512  # figures of which it is still known why they are not kept


class Figure:
    """A figure that was displayed, and how it was printed."""

    live, data, refs, size = None, None, (), 0
    fixed = False  # it cannot be pickled
    told = False  # it is in the outbox, or why it is not

    def __init__(self, figure, options, rc):
        self.live, self.options, self.rc = figure, options, rc
        self.seconds = 0.0  # of the processor that drawing took
        self.names = set()  # hashes of its pictures
        self.since = time.monotonic()
        self.done = threading.Event()  # it was pickled, or cannot be


class Keeper:
    """The figures of this kernel."""

    def __init__(self):
        self.figures = []  # oldest first
        self.gone = collections.OrderedDict()  # why a figure is not kept, by hash
        self.on = True
        self.display = threading.local()
        self.timer = None
        self.seen = None  # the execution count when the timer was set
        self.rc = {}
        self.lock = threading.RLock()  # of figures and gone
        self.outbox = easel_pickles.Outbox()
        self.worker = None
        self.stuck = 0  # threads that do not return
        self.printing = []  # figures of which pictures are being made
        self.pickling, self.disturbed = None, False  # what the worker pickles, and whether a picture of it was made meanwhile

    def started(self):
        """Marks the begin of a display, and returns what marks its end."""
        before = getattr(self.display, "figures", None), getattr(self.display, "facts", None)
        self.display.figures, self.display.facts = {}, {}
        return before

    def ended(self, before):
        self.display.figures, self.display.facts = before

    def displaying(self):
        return self.on and getattr(self.display, "figures", None) is not None

    def add(self, figure, picture, options, seconds):
        """Keeps a figure of which a picture is being displayed."""
        import hashlib

        name = hashlib.sha256(picture).hexdigest()
        with self.lock:
            kept = self.display.figures.get(id(figure))
            if kept is None:
                for old in [f for f in self.figures if f.live is figure]:
                    self.drop(old, "changed")
                kept = self.display.figures[id(figure)] = Figure(figure, options, self.settings())
                kept.size = estimate(figure, options["dpi"])
                self.figures.append(kept)
            for old in [f for f in self.figures if name in f.names and f is not kept]:
                old.names.discard(name)
                if not old.names:
                    self.figures.remove(old)
            kept.names.add(name)
            kept.seconds += seconds
            if type(figure.canvas).__module__ in PLAIN:
                figure.stale = False  # it becomes true when the figure changes
            self.gone.pop(name, None)
            if kept.size > easel_pickles.LARGEST:
                self.drop(kept, "large")
            self.bound()
        self.later()

    def settings(self):
        """Returns matplotlib's rcParams as they are; equal ones are kept once."""
        now = dict.copy(sys.modules["matplotlib"].rcParams)
        if now != self.rc:
            self.rc = now
        return self.rc

    def bound(self):
        """Drops the oldest figures beyond the bounds."""
        with self.lock:
            while len(self.figures) > MOST or sum(f.size for f in self.figures) > MOST_BYTES:
                self.drop(self.figures[0], "old")
            live = [f for f in self.figures if f.live is not None]
            for f in live[: max(0, len(live) - MOST_LIVE)]:
                self.drop(f, "old")

    def drop(self, f, why):
        with self.lock:
            if f in self.figures:
                self.figures.remove(f)
            for name in f.names:
                self.gone[name] = why
            while len(self.gone) > FORGOTTEN:
                self.gone.popitem(last=False)
            self.refuse(f, why)
            f.done.set()

    def later(self):
        """Has figures pickled when the kernel is idle, or code has run for long."""
        with self.lock:
            if self.worker is None or not self.worker.works():
                self.worker = easel_pickles.Worker(self)
                self.worker.start()
            if len(self.due()) >= easel_pickles.MANY:
                self.worker.wake.set()
        if self.timer is None:
            loop = kernel_loop()
            if loop is not None:
                self.timer, self.seen = True, executions()
                loop.add_callback(lambda: loop.call_later(PAUSE, self.settle))

    def settle(self):
        """Has the worker pickle figures if the kernel is idle, and continues later if there are more."""
        self.timer = None
        worker = self.worker
        if executions() == self.seen and worker is not None:
            worker.wake.set()
        if self.due():
            self.later()

    def hurry(self):
        """Has figures pickled now: the kernel is about to end."""
        with self.lock:
            if self.due():
                self.later()
                self.worker.wake.set()

    def due(self):
        """Returns the figures that are to be pickled."""
        if self.stuck >= easel_pickles.MOST_STUCK:
            return []
        with self.lock:
            return [f for f in self.figures if f.live is not None and not f.fixed]

    def freeze(self, f):
        """Has a figure pickled now, and waits for that."""
        if f.live is None or f.fixed or not self.due():
            return
        with self.lock:
            self.later()
            worker = self.worker
            worker.first = f
            worker.wake.set()
        if not f.done.wait(easel_pickles.PATIENCE):
            worker.works()
            self.fix(f, "slow")

    def pickled(self, f):
        """Replaces the reference to a figure by a pickle. It runs in the worker's thread."""
        figure = f.live
        plain = type(figure.canvas).__module__ in PLAIN
        self.pickling, self.disturbed = figure, False
        try:
            if figure.stale and plain:
                return self.drop(f, "changed")
            if any(p is figure for p in self.printing):
                return None  # it has another size or other colours now
            data, refs, stored, why = easel_pickles.dump(figure)
            packed, why = (None, why) if why else easel_pickles.pack((f.options, f.rc, f.seconds), stored)
            if figure.stale and plain:
                return self.drop(f, "changed")
        except easel_pickles.TooLarge:
            return self.drop(f, "large")
        except easel_pickles.Slow:
            return self.fix(f, "slow")
        except Exception as e:  # something in it cannot be pickled
            return self.fix(f, easel_pickles.describe(e))
        finally:
            self.pickling = None
        with self.lock:
            if self.disturbed or f.live is None or f.fixed or f not in self.figures:
                return None
            f.data, f.refs = data, refs
            f.live, f.size = None, len(f.data)
            f.done.set()
            if packed is None:
                self.refuse(f, why)
            elif not f.told:
                f.told = True
                self.outbox.put(f.names, packed)
            return self.bound()

    def refuse(self, f, why):
        """Has Easel know why it cannot store a figure."""
        if not f.told:
            f.told = True
            self.outbox.refuse(f.names, why)

    def fix(self, f, why):
        """Keeps a figure as a reference only."""
        with self.lock:
            if not f.done.is_set():
                f.fixed = True
                self.refuse(f, why)
                f.done.set()

    def switch(self, on):
        """Starts or stops keeping figures. What is kept is released at the end."""
        self.on = on
        if not on:
            with self.lock:
                self.figures, self.rc = [], {}
                self.gone.clear()
                self.outbox.clear()

    def load(self, f):
        """Returns a copy of a pickled figure."""
        return easel_pickles.Unpickler(f).load()

    def find(self, names):
        return next((f for f in reversed(self.figures) if f.names.intersection(names)), None)

    def why(self, names):
        return next((self.gone[n] for n in names if n in self.gone), "unknown")


keeper = Keeper()


def estimate(figure, dpi):
    """Returns about how many bytes a figure takes as long as it is referenced."""
    width, height = figure.get_size_inches() * dpi
    total = int(width * height * 4)  # of the canvas
    for ax in figure.axes:
        total += 4096 * len(ax._children) if hasattr(ax, "_children") else 0
        for artist in (*ax.images, *ax.collections, *ax.lines):
            for value in vars(artist).values():
                total += getattr(value, "nbytes", 0) if hasattr(value, "dtype") else 0
    return total


def kernel_loop():
    """Returns the event loop that runs the user's code."""
    shell = running_shell()
    return getattr(getattr(shell, "kernel", None), "io_loop", None)


def running_shell():
    ipython = sys.modules.get("IPython.core.getipython")
    return ipython.get_ipython() if ipython is not None else None


def executions():
    return getattr(running_shell(), "execution_count", None)


def install():
    """Extends IPython in this process, once it is imported."""
    from easel_fonts import AfterImport

    if "IPython.core.formatters" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.core.formatters": extend}))


def extend(module):
    """Makes displays keep the figures that they print."""
    formatter = getattr(module, "DisplayFormatter", None)
    plain = getattr(formatter, "format", None)
    if plain is None or hasattr(plain, "easel_plain"):
        return

    def format(self, obj, *args, **kwargs):
        if not keeper.on or "matplotlib.backend_bases" not in sys.modules:
            return plain(self, obj, *args, **kwargs)
        extend_canvas(sys.modules["matplotlib.backend_bases"])
        before = keeper.started()
        try:
            result = plain(self, obj, *args, **kwargs)
            with contextlib.suppress(Exception):
                remember(result[0])
            return result
        finally:
            keeper.ended(before)

    format.easel_plain = plain
    formatter.format = format


def remember(bundle):
    """Makes the facts of the figure that was just formatted go with its picture."""
    facts = list(keeper.display.facts.values())
    if len(facts) == 1 and facts[0] is not None:
        import easel_facts

        easel_facts.extend_kernel()
        easel_facts.shown.add(bundle, facts[0])


def extend_canvas(module):
    """Makes figures that are printed into memory during a display be kept."""
    canvas = module.FigureCanvasBase
    plain = canvas.print_figure
    if hasattr(plain, "easel_plain"):
        return

    def printing(self, filename):
        return isinstance(filename, io.BytesIO) and keeper.displaying()

    def begin(self):
        figure = self.figure
        keeper.printing.append(figure)
        if figure is keeper.pickling:
            keeper.disturbed = True
        return lambda: keeper.printing.remove(figure)

    def watch(self):
        with contextlib.suppress(Exception):
            import easel_axes
            import easel_drawing

            return easel_axes.Watch(self), easel_drawing.Watch(self)

    def end(watches):
        for w in watches or ():
            w.end()

    def keep(self, filename, watches, began, args, kwargs):
        axes, drawing = watches or (None, None)
        with contextlib.suppress(Exception):  # the picture counts, whatever happens here
            axes.add(filename)
        with contextlib.suppress(Exception):
            facts = keeper.display.facts
            if id(self.figure) not in facts:
                import easel_facts

                facts[id(self.figure)] = None
                facts[id(self.figure)] = easel_facts.read(self.figure, drawing.found)
        with contextlib.suppress(Exception):
            keeper.add(self.figure, filename.getvalue(), options(self.figure, *args, **kwargs), time.thread_time() - began)

    # matplotlib attributes a warning to the first frame outside of itself, so this one has to look
    # like its own.
    source = """def print_figure(self, filename, *args, **kwargs):
    printed = begin(self)
    try:
        if not printing(self, filename):
            return plain(self, filename, *args, **kwargs)
        began, watches = now(), watch(self)
        try:
            result = plain(self, filename, *args, **kwargs)
        finally:
            end(watches)
    finally:
        printed()
    keep(self, filename, watches, began, args, kwargs)
    return result
"""
    scope = {"__name__": module.__name__, "plain": plain, "printing": printing, "keep": keep, "begin": begin, "now": time.thread_time, "watch": watch, "end": end}
    exec(compile(source, module.__file__, "exec"), scope)
    scope["print_figure"].easel_plain = plain
    canvas.print_figure = scope["print_figure"]


def options(figure, dpi=None, facecolor=None, edgecolor=None, orientation="portrait", format=None, **kwargs):
    """Returns the arguments of print_figure that decide how a figure looks."""
    rc = sys.modules["matplotlib"].rcParams
    if dpi is None:
        dpi = rc["savefig.dpi"]
    if dpi == "figure":
        dpi = getattr(figure, "_original_dpi", figure.dpi)
    box = kwargs.get("bbox_inches")
    return {
        "dpi": dpi, "facecolor": facecolor, "edgecolor": edgecolor, "format": format,
        "bbox_inches": rc["savefig.bbox"] if box is None else box, "pad_inches": kwargs.get("pad_inches"),
        "pil_kwargs": kwargs.get("pil_kwargs"),
    }
