"""Gives kernels ports that the system does not give to other programs.

Jupyter lets the system pick a free port for each socket of a kernel, and releases it until
the kernel binds it, a second or more later. In the meantime the system may give it to any
program that requests an arbitrary port, as each kernel does for one of its own. A kernel
whose port is taken hangs, and so does its client. This module picks ports outside the
system's range.
"""

import random
import socket

from jupyter_client.connect import LocalPortCache

FIRST, LAST = 20_000, 29_999  # below the range of systems and of Kubernetes' services
TRIES = 100


class PrivatePorts(LocalPortCache):
    """Jupyter's own cache, which ensures that no two kernels of a server get the same port."""

    def find_available_port(self, ip):
        for port in random.sample(range(FIRST, LAST + 1), TRIES):
            if port not in self.currently_used_ports and free(ip, port):
                self.currently_used_ports.add(port)
                return port
        return super().find_available_port(ip)


def free(ip, port):
    """Reports whether nobody listens there, or did a moment ago."""
    with socket.socket() as s:
        try:
            s.bind((ip, port))
        except OSError:
            return False
    return True


def install():
    """Makes the server's kernels use such ports, unless the system picks from that range, too."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
            lowest = int(f.read().split()[0])
    except (OSError, ValueError, IndexError):  # not Linux: other systems begin at 49152
        lowest = LAST + 1
    if lowest > LAST:
        PrivatePorts.instance()  # also the instance of LocalPortCache
