"""Gives kernels ports that nobody else is given by chance.

Jupyter has the system pick a free port for each socket of a kernel, and lets it go until
the kernel takes it, a second or more later. Meanwhile the system may give it to anybody
who asks for any port, as each kernel does for one of its own. A kernel whose port is
taken hangs, and so does whoever waits for it. Here ports are picked where the system
picks none.
"""

import random
import socket

from jupyter_client.connect import LocalPortCache

FIRST, LAST = 20_000, 29_999  # below what systems pick from, and Kubernetes' services
TRIES = 100


class PrivatePorts(LocalPortCache):
    """Jupyter's own, which sees to it that no two kernels of a server get the same port."""

    def find_available_port(self, ip):
        for port in random.sample(range(FIRST, LAST + 1), TRIES):
            if port not in self.currently_used_ports and free(ip, port):
                self.currently_used_ports.add(port)
                return port
        return super().find_available_port(ip)


def free(ip, port):
    """Whether nobody listens there, or did a moment ago."""
    with socket.socket() as s:
        try:
            s.bind((ip, port))
        except OSError:
            return False
    return True


def install():
    """Has the server's kernels get such ports, unless the system picks from those, too."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
            lowest = int(f.read().split()[0])
    except (OSError, ValueError, IndexError):  # no Linux: the others begin at 49152
        lowest = LAST + 1
    if lowest > LAST:
        PrivatePorts.instance()  # of LocalPortCache, too
