"""On Windows, ends the kernels together with the server, and lets Easel ask it to end.

Windows has no process groups and no signals. Instead, the server is in a job object, which
its kernels inherit. When the server ends, however that happens, Windows ends all processes
of the job. And the server waits for an event, which Easel sets instead of sending SIGTERM.
"""

import ctypes
import threading
from ctypes import wintypes

EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
FOREVER = 0xFFFFFFFF  # INFINITE


class BasicLimits(ctypes.Structure):
    _fields_ = [
        ("per_process_time", wintypes.LARGE_INTEGER),
        ("per_job_time", wintypes.LARGE_INTEGER),
        ("flags", wintypes.DWORD),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority_class", wintypes.DWORD),
        ("scheduling_class", wintypes.DWORD),
    ]


class ExtendedLimits(ctypes.Structure):
    _fields_ = [
        ("basic", BasicLimits),
        ("io", ctypes.c_ulonglong * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    ]


kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
for function, result, arguments in (
    ("CreateJobObjectW", wintypes.HANDLE, (ctypes.c_void_p, wintypes.LPCWSTR)),
    ("SetInformationJobObject", wintypes.BOOL, (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)),
    ("AssignProcessToJobObject", wintypes.BOOL, (wintypes.HANDLE, wintypes.HANDLE)),
    ("GetCurrentProcess", wintypes.HANDLE, ()),
    ("CreateEventW", wintypes.HANDLE, (ctypes.c_void_p, wintypes.BOOL, wintypes.BOOL, wintypes.LPCWSTR)),
    ("WaitForSingleObject", wintypes.DWORD, (wintypes.HANDLE, wintypes.DWORD)),
):
    getattr(kernel32, function).restype = result
    getattr(kernel32, function).argtypes = arguments


def checked(value):
    if not value:
        raise ctypes.WinError(ctypes.get_last_error())
    return value


class Job:
    """The job of this process and of those that it will start."""

    def __init__(self):
        # This is the only handle, so the job is closed when the process ends.
        self.handle = checked(kernel32.CreateJobObjectW(None, None))
        self.limit(KILL_ON_CLOSE)
        checked(kernel32.AssignProcessToJobObject(self.handle, kernel32.GetCurrentProcess()))

    def limit(self, flags):
        limits = ExtendedLimits()
        limits.basic.flags = flags
        size = ctypes.sizeof(limits)
        checked(kernel32.SetInformationJobObject(self.handle, EXTENDED_LIMITS, ctypes.byref(limits), size))

    def release(self):
        """Lets programs that the user's code has started continue, as on other systems."""
        self.limit(0)


def on_event(name, asked):
    """Calls asked, on a thread, when the event is set."""
    event = checked(kernel32.CreateEventW(None, True, False, name))

    def wait():
        kernel32.WaitForSingleObject(event, FOREVER)
        asked()

    threading.Thread(target=wait, name="easel-stop", daemon=True).start()
