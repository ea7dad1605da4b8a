"""Lets a request beside the running code leave that code's figures alone.

Easel reads variables in a subshell, which is another thread. IPython ends each request with
the event post_execute, in whatever thread. matplotlib then displays and closes all figures,
also those that the main shell is just drawing: they were stored blank or half drawn. With
this module, a silent request in a subshell triggers no events of an execution. Code that a
user runs in a subshell is not silent, so its figures appear.
"""

import contextvars
import inspect
import sys

from easel_fonts import AfterImport

EVENTS = "pre_execute", "post_execute"

aside = contextvars.ContextVar("easel_aside", default=False)  # the request is silent and in a subshell


def install():
    """Extends ipykernel and IPython in this process, once they are imported."""
    if "ipykernel.kernelbase" not in sys.modules and "IPython.core.events" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"ipykernel.kernelbase": extend_kernel, "IPython.core.events": extend_events}))


def extend_kernel(module):
    """Makes kernels note which requests are aside."""
    kernel = getattr(module, "Kernel", None)
    plain = getattr(kernel, "execute_request", None)
    if not inspect.iscoroutinefunction(plain):
        return  # an old ipykernel, without subshells

    async def execute_request(self, stream, ident, parent):
        aside.set(bool(parent["header"].get("subshell_id") and parent["content"].get("silent")))
        await plain(self, stream, ident, parent)

    kernel.execute_request = execute_request


def extend_events(module):
    """Makes requests aside trigger no events of an execution."""
    manager = module.EventManager
    plain = manager.trigger

    def trigger(self, event, *args, **kwargs):
        if event not in EVENTS or not aside.get():
            plain(self, event, *args, **kwargs)

    manager.trigger = trigger
