"""Lets matplotlib before 3.9 show its first figure under IPython 9.16 and later.

That matplotlib asks IPython for a table that those versions no longer have. It then takes
part in displaying figures one cell too late.
"""

import sys

from easel_fonts import AfterImport


def install():
    """Extends IPython in this process, once it draws figures."""
    if "IPython.core.pylabtools" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.core.pylabtools": extend}))


def extend(module):
    """Adds an empty table if there is none: inline figures need no event loop."""
    if not hasattr(module, "backend2gui"):
        module.backend2gui = {}
