"""Lets the next request of this thread end without the events of an execution.

It runs at the beginning of a request in a subshell, which is a thread beside the main shell.
IPython ends each request with the event post_execute, in whatever thread. matplotlib then
displays and closes all figures, also those that the main shell is just drawing. So this
thread's next post_execute is dropped. Nothing of Easel's stays: with that event, what drops
it is removed.
"""


def aside():
    import sys
    import threading

    events = sys.modules["IPython"].get_ipython().events
    kept = vars(events)

    def trigger(event, *args, **kwargs):
        thread = threading.get_ident()
        if event != "post_execute" or thread not in trigger.easel_threads:
            return type(events).trigger(events, event, *args, **kwargs)
        with trigger.easel_lock:
            trigger.easel_threads.discard(thread)
            if not trigger.easel_threads and kept.get("trigger") is trigger:
                del kept["trigger"]

    trigger.easel_threads, trigger.easel_lock = set(), threading.Lock()
    while True:  # another Easel may do the same in another subshell
        used = kept.setdefault("trigger", trigger)
        if not hasattr(used, "easel_lock"):
            return  # somebody else's
        with used.easel_lock:
            if kept.get("trigger") is used:
                used.easel_threads.add(threading.get_ident())
                return


try:
    aside()
except Exception:
    pass  # another IPython: the question is more important
