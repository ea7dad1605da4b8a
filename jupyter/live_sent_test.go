package jupyter

import (
	"os"
	"os/exec"
	"testing"
)

// TestLiveWhatHasArrivedIsForgotten checks how a server counts what it has written to a client.
func TestLiveWhatHasArrivedIsForgotten(t *testing.T) {
	t.Parallel()
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		t.Skip("EASEL_TEST_PYTHON is not set (make test sets it)")
	}
	cmd := exec.CommandContext(live(t), python, "-c", `
import easel_sent, json
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1

sent = easel_sent.Sent()
for n in range(10):
    sent.add(b"%d" % n, True)
assert sent.knows(0) and sent.knows(10) and not sent.knows(11)
sent.forget(4)
assert [f for f, _ in sent.frames] == [b"%d" % n for n in range(4, 10)] and sent.size == 6, sent.frames
assert not sent.knows(3) and sent.knows(4)
easel_sent.MOST = 3
sent.add(b"10", True)
assert [f for f, _ in sent.frames] == [b"9", b"10"] and not sent.knows(8) and sent.knows(9), sent.frames
sent.add(b"more than that", True)
assert not sent.frames and sent.size == 0 and sent.knows(12) and not sent.knows(11)

gone = easel_sent.Sent()
gone.add(b"1", True)
gone.written -= 60
gone.left()
assert not gone.quiet # it may not have arrived
gone.forget(1)
gone.left()
assert gone.quiet
gone.add(b"2", True)
gone.forget(2)
gone.left()
assert not gone.quiet # it may not have been stored

class Socket(easel_sent.CountedSocket):
    sent = easel_sent.Sent()
socket = Socket()
for n in range(3):
    socket.sent.add("", False)
def seen(channel, kind, content):
    parts = [json.dumps(p).encode() for p in ({"msg_type": kind}, {}, {}, content)]
    v1 = bytes(serialize_msg_to_ws_v1(parts, channel))
    old = json.dumps({"channel": channel, "header": {"msg_type": kind}, "content": content})
    return socket.says_seen(v1), socket.says_seen(old)
assert seen("life", "seen", {"count": 2}) == (True, True) and len(socket.sent.frames) == 1
for other in (("shell", "seen", {"count": 3}), ("life", "other seen", {"count": 3}), ("life", "seen", {}), ("life", "seen", {"count": "3"})):
    assert seen(*other) == (False, False), other
assert len(socket.sent.frames) == 1
assert not socket.says_seen(b"seen") and not socket.says_seen("seen") and not socket.says_seen(b"\xff" * 100 + b"seen")
`)
	cmd.Env = append(os.Environ(), "PYTHONPATH=managed/python")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
