"""Makes a kernel keep what a reader has not read yet, without a limit.

ZeroMQ silently drops messages once a reader is a thousand messages behind. Easel reads a
kernel's messages from the kernel itself, not from the server, and Easel may be suspended:
by Ctrl-Z, a debugger, or a machine out of memory. The kernel then keeps what the server's
websocket would have kept.
"""

import sys

from easel_fonts import AfterImport


def install():
    """Extends ipykernel in this process, if it is a kernel."""
    if "ipykernel.kernelapp" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"ipykernel.kernelapp": extend}))


def extend(module):
    """Makes the kernel create its iopub socket without a limit."""
    app = getattr(module, "IPKernelApp", None)
    plain = getattr(app, "init_iopub", None)
    if plain is None:
        return

    def init_iopub(self, context):
        try:
            import zmq

            context.setsockopt(zmq.SNDHWM, 0)  # for the kernel's sockets that are created from now on
        except Exception as e:  # another version of pyzmq: a kernel with the limit is better than none
            print("easel: this kernel drops what is not read in time: %r" % e, file=sys.stderr)
        plain(self, context)

    app.init_iopub = init_iopub
