"""Makes Python say where it was when native code crashes the kernel.

It says so on the stderr that the kernel was started with. ipykernel redirects that to the client, whom
the last words of a crash would not reach.
"""

import os
import sys

from easel_fonts import AfterImport


def install():
    """Extends this process, if it is a kernel."""
    if "ipykernel.iostream" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"ipykernel.iostream": enable}))


def enable(_):
    """Enables Python's own handler of crashes, before ipykernel redirects stderr."""
    import faulthandler

    if not faulthandler.is_enabled():
        faulthandler.enable(os.dup(2), all_threads=False)
