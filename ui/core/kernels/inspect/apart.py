"""Lets what the rest of the request prints or displays have a parent of its own.

A kernel ascribes what threads of the user's code print to the latest request, which may be this one.
So that Easel can tell that from what the request itself prints, such as a warning of a library, the
request has another parent in its own context. ipykernel 7 sets it again for each request.
"""


def apart():
    import sys

    shell = sys.modules["IPython"].get_ipython()
    for stream in (sys.stdout, sys.stderr, shell.display_pub):
        context = getattr(stream, "_parent_header", None)
        if hasattr(context, "set"):
            header = stream.parent_header
            context.set({**header, "msg_id": header["msg_id"] + "-apart"})


try:
    apart()
except Exception:
    pass  # another kernel: the question is more important
