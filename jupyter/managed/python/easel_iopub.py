"""Has a kernel keep what a reader has not read yet, however much it is.

ZeroMQ drops what is published once a reader is a thousand messages behind, without a
word. Easel reads a kernel's messages itself, past the server, and it may stand still:
Ctrl-Z, a debugger, a machine out of memory. What its server's websocket would have
kept then, the kernel keeps.
"""

import sys

from easel_fonts import AfterImport


def install():
    """Extends ipykernel in this process, if it is a kernel."""
    if "ipykernel.kernelapp" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"ipykernel.kernelapp": extend}))


def extend(module):
    """Has the iopub socket be made without a limit."""
    app = getattr(module, "IPKernelApp", None)
    plain = getattr(app, "init_iopub", None)
    if plain is None:
        return

    def init_iopub(self, context):
        try:
            import zmq

            context.setsockopt(zmq.SNDHWM, 0)  # of the kernel's sockets that are made from now on
        except Exception as e:  # of a pyzmq that is not ours: a kernel with the limit is better than none
            print("easel: this kernel drops what is not read in time: %r" % e, file=sys.stderr)
        plain(self, context)

    app.init_iopub = init_iopub
