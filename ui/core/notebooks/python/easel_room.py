"""Reads and edits a notebook that several people edit together, as one of them.

It is started as "python -I easel_room.py". The first line on standard input is a JSON
object: url of the room's websocket, token, name of the assistant, and on_demand, which is
true if the server stores the document on demand, as jupyter-collaboration does, and not only
by itself, as jupyter-server-documents does. Each further line is a request, and each line on standard output its answer:

    {"op": "read"}                      {"notebook": …}
    {"op": "glance"}                    {"notebook": …}, without outputs
    {"op": "apply", "change": {…}}      {"cell": id}
                                        {"error": …, "kind": "changed" | "lost"}

A change (Change in edit.go) is made only if the cell's text is still the one that the
request expects. It is answered after the server's own copy of the document has it: the
server is asked for the whole document again, into an empty one.

The process leaves the room and ends when standard input ends, when the connection is
lost, or when the server declares the document void. A new process then starts with a new
document, because an old one would bring back what others have deleted.
"""

import json
import queue
import sys
import threading
import time

import websocket
from jupyter_ydoc import YNotebook
from pycrdt import (
    Awareness, Decoder, Doc, Encoder, Map, Text,
    create_awareness_message, create_sync_message, create_update_message, handle_sync_message,
)  # fmt: skip

PATIENCE = 15.0  # seconds for an answer of the server
MOST_SAVES = 10  # attempts to save one change
STORE_TIME = 3.0  # seconds within which a server that stores by itself has done so
RENEWAL = 10.0  # seconds after which others must hear again that we are there; JupyterLab waits for 30
SYNC, AWARENESS, RAW = 0, 1, 2  # first byte of a message
STEP1, STEP2 = 0, 1  # second byte of a sync message
COLOUR = "#e0762f"


class Changed(Exception):
    """The cell is not as expected; nothing was changed."""


class Lost(Exception):
    """The connection was lost, or the server does not answer."""


class Room:
    def __init__(self, url, token, name, on_demand):
        self.doc = Doc()
        self.book = YNotebook(self.doc)
        self.incoming = queue.Queue()
        self.answers = 0  # to our requests for what we lack
        self.copy = None  # takes the next such answer, too
        self.saves = self.saved = 0  # requests to save, and the last that was answered
        self.on_demand = on_demand
        self.stored = 0  # how often the server has said that it stored the document
        self.silent = False  # whether the server never says it (before jupyter-server-ydoc 2)
        self.state = self.doc.get("state", type=Map)
        self.state.observe(self.note_stored)
        self.socket = websocket.create_connection(url, header=["Authorization: token " + token], timeout=PATIENCE)
        self.socket.settimeout(None)
        self.awareness = Awareness(self.doc)
        initials = "".join(word[0] for word in name.split()[:2]).upper()
        self.awareness.set_local_state(
            {"user": {"username": "easel", "name": name, "display_name": name, "initials": initials, "color": COLOUR}}
        )
        self.told = 0.0
        self.lobby = enter_lobby(url, token)
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            try:
                message = self.socket.recv()
            except Exception as e:
                self.incoming.put(Lost(f"the connection to the shared document was lost: {e}"))
                return
            if not isinstance(message, bytes) or not message:
                self.incoming.put(Lost("the server closed the shared document"))
                return
            self.incoming.put(message)

    def handle(self, message):
        """Handles what comes from the server, on the main thread: documents belong to one."""
        if isinstance(message, Lost):
            raise message
        if message is None:
            raise Lost("Easel has ended")
        if message[0] == SYNC:
            answer = handle_sync_message(message[1:], self.doc)
            if answer is not None:
                self.socket.send_binary(answer)
            if message[1] == STEP2:
                if self.copy is not None:
                    handle_sync_message(message[1:], self.copy)
                self.answers += 1
        elif message[0] == RAW:
            said = json.loads(Decoder(message[1:]).read_var_string())
            if said.get("type") == "conflict":
                raise Lost("the server has a newer version of the shared document")
            if said.get("type") == "save":
                self.saved = max(self.saved, said.get("responseTo") or 0)

    def wait(self, condition):
        if not self.await_for(PATIENCE, condition):
            raise Lost("the server of the shared document does not answer")

    def await_for(self, seconds, condition):
        """Handles messages until the condition is true, and reports whether it is in time."""
        end = time.monotonic() + seconds
        while not condition():
            try:
                self.handle(self.incoming.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                return False
        return True

    def synchronize(self):
        """Waits until we have everything that the server has."""
        target = self.answers + 1
        self.socket.send_binary(create_sync_message(self.doc))
        self.wait(lambda: self.answers >= target)

    def greet(self):
        """Shows others that we are there."""
        if time.monotonic() - self.told > RENEWAL:
            self.told = time.monotonic()
            self.awareness.set_local_state(self.awareness.get_local_state())
            update = self.awareness.encode_awareness_update([self.doc.client_id])
            self.socket.send_binary(create_awareness_message(update))
            if self.lobby is not None:
                try:
                    self.lobby.send_binary(create_awareness_message(update))
                except Exception:
                    self.lobby = None  # it only shows our name

    def leave(self):
        self.awareness.set_local_state(None)
        farewell = create_awareness_message(self.awareness.encode_awareness_update([self.doc.client_id]))
        for socket in (self.lobby, self.socket):
            if socket is not None:
                socket.send_binary(farewell)
                socket.close(timeout=1)

    def read(self):
        self.synchronize()
        notebook = self.book.get(deduplicate=False)
        for cell, shared in zip(notebook["cells"], self.book.ycells, strict=True):
            cell["id"] = shared["id"]  # left out in older formats
        return notebook

    def glance(self):
        self.synchronize()
        cells = [
            {"id": c["id"], "cell_type": c["cell_type"], "metadata": {}, "source": str(c["source"]), "outputs": [], "execution_count": None}
            for c in self.book.ycells
        ]
        metadata = self.doc.get("meta", type=Map).to_py().get("metadata", {})
        return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}

    def server_copy(self):
        """Returns the document as the server has it now."""
        self.copy = copy = Doc()
        target = self.answers + 1
        self.socket.send_binary(create_sync_message(copy))
        self.wait(lambda: self.answers >= target)
        self.copy = None
        return copy

    def find(self, cell):
        for i, c in enumerate(self.book.ycells):
            if c.get("id") == cell:
                return i
        raise Changed("the cell was removed")

    def expected(self, change):
        """Returns the index of the cell, and the cell, if its text is as expected."""
        i = self.find(change["cell"])
        cell = self.book.ycells[i]
        if str(cell["source"]) != change["before"]:
            raise Changed("the text of the cell was changed")
        return i, cell

    def apply(self, change):
        self.synchronize()
        before = self.doc.get_state()
        with self.doc.transaction():
            getattr(self, change["op"])(change)
        self.socket.send_binary(create_update_message(self.doc.get_update(before)))
        self.prove(change)
        if change["op"] not in ("start", "stop"):
            self.save()
        return change["cell"]

    def note_stored(self, event):
        """Notes that the server has stored the document: then it shares the file's hash, or only
        that the document is not dirty."""
        self.stored += ("hash" if self.on_demand else "dirty") in event.keys

    def save(self):
        """Makes the server save the document now. Otherwise it does so when nobody has typed for a
        second, and until then it returns to the former file if it is killed. A change by others
        may prevent the save, although the server answers that it is done."""
        if not self.on_demand:
            before = self.stored
            self.await_for(STORE_TIME, lambda: self.stored > before)
            return
        for _ in range(MOST_SAVES):
            before = self.stored
            self.request_save()
            self.synchronize()
            if self.stored > before or self.silent:
                return
        self.silent = self.stored == 0

    def request_save(self):
        self.saves += 1
        ours = self.saves
        message = Encoder()
        message.write_var_uint(RAW)
        message.write_var_string("save")
        message.write_var_uint(ours)
        self.socket.send_binary(message.to_bytes())
        self.wait(lambda: self.saved >= ours)

    def prove(self, change):
        """Checks that the server has what we have made."""
        ours, theirs = clock(self.doc, self.doc.client_id), clock(self.server_copy(), self.doc.client_id)
        if theirs < ours:
            raise Lost("the server has not taken the edit")

    def insert(self, change):
        at = self.find(change["after"]) + 1 if change.get("after") else 0
        cell = {"id": change["cell"], "cell_type": change["type"], "source": change["source"], "metadata": {}}
        if change["type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        self.book.ycells.insert(at, self.book.create_ycell(cell))

    def set(self, change):
        _, cell = self.expected(change)
        replace(cell["source"], change["source"])
        if change["before"] != change["source"] and cell["cell_type"] == "code":
            set_outputs(cell, [], None)

    def delete(self, change):
        i, _ = self.expected(change)
        del self.book.ycells[i]

    def move(self, change):
        i, _ = self.expected(change)
        copy = self.book.create_ycell(self.book.get_cell(i) | {"id": change["cell"]})
        del self.book.ycells[i]
        self.book.ycells.insert(self.find(change["after"]) + 1 if change.get("after") else 0, copy)

    def start(self, change):
        """Shows that the cell is running, with no outputs yet."""
        _, cell = self.expected(change)
        set_outputs(cell, [], None)
        cell["execution_state"] = "running"

    def stop(self, change):
        """Shows that the cell is not running, if its outputs cannot be written."""
        self.book.ycells[self.find(change["cell"])]["execution_state"] = "idle"

    def outputs(self, change):
        _, cell = self.expected(change)
        replace(cell["source"], change["source"])
        set_outputs(cell, change["outputs"] or [], change.get("count") or None)
        cell["execution_state"] = "idle"


def enter_lobby(url, token):
    """Joins the room in which JupyterLab lists who is there. Returns None if there is none."""
    url = url[: url.index("/room/")] + "/room/JupyterLab:globalAwareness"
    try:
        lobby = websocket.create_connection(url, header=["Authorization: token " + token], timeout=PATIENCE)
    except Exception:
        return None
    lobby.settimeout(None)

    def ignore():
        try:
            while lobby.recv():
                pass
        except Exception:
            return

    threading.Thread(target=ignore, daemon=True).start()
    return lobby


def replace(text, new):
    """Changes only what differs, so that what others type elsewhere in the text stays."""
    old, new = str(text).encode(), new.encode()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    while 0 < head < len(old) and old[head] & 0xC0 == 0x80 or 0 < head < len(new) and new[head] & 0xC0 == 0x80:
        head -= 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    while tail and old[len(old) - tail] & 0xC0 == 0x80:
        tail -= 1
    if head < len(old) - tail:
        del text[head : len(old) - tail]
    if added := new[head : len(new) - tail].decode():
        text.insert(head, added)


def set_outputs(cell, outputs, count):
    """Replaces the outputs of a cell. A stream's text is shared, as JupyterLab expects."""
    there = cell["outputs"]
    del there[0 : len(there)]
    for output in outputs:
        if output["output_type"] == "stream":
            output["text"] = Text("".join(output["text"]))
        there.append(Map(output))
    cell["execution_count"] = count


def clock(doc, client):
    """Returns how much of a client's changes a document has, from its state vector."""
    vector = Decoder(doc.get_state())
    found = {vector.read_var_uint(): vector.read_var_uint() for _ in range(vector.read_var_uint())}
    return found.get(client, 0)


def serve(room, answer):
    """Answers requests until there are no more."""
    while True:
        room.greet()
        try:
            request = room.incoming.get(timeout=RENEWAL / 2)
        except queue.Empty:
            continue
        if request is None:
            return
        if not isinstance(request, dict):
            room.handle(request)
            continue
        try:
            if request["op"] in ("read", "glance"):
                answer({"notebook": getattr(room, request["op"])()})
            else:
                answer({"cell": room.apply(request["change"])})
        except Changed as e:
            answer({"error": str(e), "kind": "changed"})


def main():
    given = json.loads(sys.stdin.buffer.readline())  # UTF-8, whatever the system's encoding is

    def answer(value):
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    try:
        room = Room(given["url"], given["token"], given["name"], given["on_demand"])
    except Exception as e:
        answer({"error": f"the shared document cannot be opened: {e}", "kind": "lost"})
        return
    requests = room.incoming

    def read_requests():
        for line in sys.stdin.buffer:
            requests.put(json.loads(line))
        requests.put(None)

    threading.Thread(target=read_requests, daemon=True).start()
    try:
        room.synchronize()
        answer({})
        serve(room, answer)
        room.leave()
    except Lost as e:
        answer({"error": str(e), "kind": "lost"})


if __name__ == "__main__":
    main()
