"""Makes !command work where there are no terminals, as in the sandbox of Landlock.

IPython gives such a command a terminal. Without one, this module gives it pipes, as the shell does in
%%bash.
"""

import codecs
import os
import subprocess
import sys

from easel_fonts import AfterImport


def install():
    """Extends IPython in this process, once it starts programs."""
    if sys.platform != "win32" and "IPython.utils._process_posix" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.utils._process_posix": extend}))


def extend(module):
    usual = module.system

    def system(cmd):
        return usual(cmd) if terminals() else piped(cmd)

    module.system = system


def terminals():
    """Reports whether this process can make terminals."""
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError:
        return False
    return True


def piped(cmd):
    """Runs a command of the shell and prints its output. Returns its exit code, or the negative number of a signal."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shell = os.environ.get("SHELL", "sh")
    with subprocess.Popen([shell, "-c", cmd], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            while True:
                piece = os.read(process.stdout.fileno(), 1 << 16)
                print(decoder.decode(piece, final=not piece), end="", flush=True)
                if not piece:
                    break
        except KeyboardInterrupt:
            process.terminate()
    code = process.returncode
    return code if code <= 128 else 128 - code
