"""A minimal desktop tray. With a tray, closing Easel's window hides it."""

import os
import re
import socket
import struct
import threading

WATCHER = "org.kde.StatusNotifierWatcher"
RETURN, SIGNATURE, REPLY, TO = 2, 8, 5, 6  # types of D-Bus messages and of header fields


def padded(data: bytes, to: int = 8) -> bytes:
    return data + bytes(-len(data) % to)


def text(s: str) -> bytes:
    return struct.pack("<I", len(s)) + s.encode() + b"\0"


class Tray:
    """Owns the name of the tray on the session bus until it is closed."""

    def __init__(self):
        path = re.search(r"unix:path=([^,;]+)", os.environ["DBUS_SESSION_BUS_ADDRESS"])
        self.bus, self.serial = socket.socket(socket.AF_UNIX), 0
        self.bus.connect(path[1] if path else "\0" + re.search(r"abstract=([^,;]+)", os.environ["DBUS_SESSION_BUS_ADDRESS"])[1])
        self.bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        assert self.bus.recv(200).startswith(b"OK")
        self.bus.sendall(b"BEGIN\r\n")
        self.ask("Hello")
        self.ask("RequestName", "su", padded(text(WATCHER), 4) + struct.pack("<I", 4))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def close(self):
        self.bus.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.bus.close()

    def send(self, kind: int, fields: list[tuple[int, str, bytes]], signature: str = "", body: bytes = b""):
        self.serial += 1
        if signature:
            fields = [*fields, (SIGNATURE, "g", bytes([len(signature)]) + signature.encode() + b"\0")]
        head = b""
        for code, kind_of, value in fields:
            head = padded(head) + bytes([code, 1]) + kind_of.encode() + b"\0" + value
        self.bus.sendall(padded(struct.pack("<BBBBIII", ord("l"), kind, 0, 1, len(body), self.serial, len(head)) + head) + body)

    def ask(self, member: str, signature: str = "", body: bytes = b""):
        """Calls a method of the bus itself. serve ignores the reply."""
        name = "org.freedesktop.DBus"
        self.send(1, [(1, "o", text("/org/freedesktop/DBus")), (2, "s", text(name)), (3, "s", text(member)), (TO, "s", text(name))], signature, body)

    def read(self, n: int) -> bytes:
        data = b""
        while len(data) < n:
            if not (more := self.bus.recv(n - len(data))):
                raise EOFError
            data += more
        return data

    def serve(self):
        """Answers every call: with true for a property, and with an empty reply for everything else."""
        try:
            while True:
                fixed = self.read(16)
                length, serial, size = struct.unpack("<III" if fixed[:1] == b"l" else ">III", fixed[4:])
                head = self.read(size + -size % 8)[:size]
                self.read(length)
                if fixed[1] != 1 or fixed[2] & 1:  # not a call, or no reply is expected
                    continue
                sender = re.search(rb"\x07\x01s\0.{4}([^\0]+)", head, re.DOTALL)[1].decode()
                to = [(REPLY, "u", struct.pack("<I", serial)), (TO, "s", text(sender))]
                if re.search(rb"\x03\x01s\0.{4}Get\0", head, re.DOTALL):
                    self.send(RETURN, to, "v", b"\x01b\0\0" + struct.pack("<I", 1))
                else:
                    self.send(RETURN, to)
        except (EOFError, OSError):
            pass
