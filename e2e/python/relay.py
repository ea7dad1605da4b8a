"""A relay between a client and a server that can break connections."""

import contextlib
import socket
import threading


class Relay:
    """Forwards connections to a port of this machine."""

    def __init__(self, port: int):
        self.target, self.pairs, self.lock = port, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):  # the socket was closed
            while True:
                client, _ = self.listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    client.close()
                    continue
                with self.lock:
                    self.pairs.append((client, server))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self.passes, args=pair, daemon=True).start()

    @staticmethod
    def passes(source: socket.socket, to: socket.socket):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                to.sendall(data)
        for s in (source, to):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Breaks all connections. New ones work."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for s in (s for pair in pairs for s in pair):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
