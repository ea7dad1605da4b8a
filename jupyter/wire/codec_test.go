package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

func sample() *Message {
	return &Message{
		Channel: IOPub,
		Header: Header{
			MsgID: "a_1", MsgType: "stream", Session: "a", Username: "ann", Version: "5.3",
			Date: time.Date(2026, 11, 21, 4, 15, 12, 123456000, time.UTC),
		},
		Parent:   Header{MsgID: "b_2", MsgType: "execute_request", Session: "b", Version: "5.4", SubshellID: "s"},
		Metadata: json.RawMessage(`{"k":1}`),
		Content:  json.RawMessage(`{"name":"stdout","text":"h\u00e4 \ud83d\ude00 \"q\" \\"}`),
	}
}

// samples returns messages of each kind, by description.
func samples() map[string]*Message {
	withBuffers := sample()
	withBuffers.Buffers = [][]byte{{1, 2, 3}, {}, []byte("\x00\xff")}
	bare := &Message{Channel: Shell, Header: Header{MsgType: "kernel_info_request"}}
	return map[string]*Message{"a stream": sample(), "with buffers": withBuffers, "nothing but a type": bare}
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	for name, m := range samples() {
		for _, p := range []Protocol{V1, Legacy} {
			t.Run(name+" "+p.String(), func(t *testing.T) {
				frame, isBinary, err := p.Encode(m)
				require.NoError(t, err)
				if want := p == V1 || len(m.Buffers) > 0; isBinary != want {
					t.Errorf("binary: got %v, want %v", isBinary, want)
				}
				d := Decoder{Protocol: p}
				got, err := d.Decode(frame, isBinary)
				require.NoError(t, err)
				want := *m
				want.Metadata, want.Content = orObject(m.Metadata), orObject(m.Content)
				if diff := cmp.Diff(&want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				head, err := d.DecodeHead(frame, isBinary)
				require.NoError(t, err)
				if head.Header != m.Header || head.Parent != m.Parent || head.Content != nil {
					t.Errorf("head: got %+v", head)
				}
			})
		}
	}
}

func TestHeadOfAFrameThatIsNotThereAsAWhole(t *testing.T) {
	m := sample()
	m.Content = json.RawMessage(`{"text":"` + strings.Repeat("x", 100_000) + `"}`)
	for _, p := range []Protocol{V1, Legacy} {
		frame, isBinary, err := p.Encode(m)
		require.NoError(t, err)
		d := Decoder{Protocol: p}
		head, err := d.DecodeHead(frame[:4096], isBinary)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		if head.Header != m.Header || head.Parent != m.Parent || head.Channel != IOPub {
			t.Errorf("%v: got %+v", p, head)
		}
		if _, err := d.DecodeHead(frame[:60], isBinary); err == nil {
			t.Errorf("%v: the headers are not in 60 bytes", p)
		}
	}
	frame, _, _ := V1.Encode(m)
	if size, err := SizeV1(frame[:64]); err != nil || size != uint64(len(frame)) {
		t.Errorf("size: got %d, %v, want %d", size, err, len(frame))
	}
}

// v1 makes a frame from offsets, valid or not, and a body.
func v1(body string, offsets ...uint64) []byte {
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(offsets)))
	for _, o := range offsets {
		frame = binary.LittleEndian.AppendUint64(frame, o)
	}
	return append(frame, body...)
}

func TestFramesThatAreNoMessages(t *testing.T) {
	const max = ^uint64(0)
	for name, frame := range map[string][]byte{
		"empty":                          {},
		"seven bytes":                    make([]byte, 7),
		"no offsets":                     make([]byte, 8),
		"too few offsets":                v1("", 24, 24),
		"more offsets than bytes":        binary.LittleEndian.AppendUint64(nil, 1000),
		"a count that overflows":         binary.LittleEndian.AppendUint64(nil, max),
		"the first offset in the table":  v1("shell{}{}{}{}", 8, 61, 63, 65, 67, 69),
		"an offset that goes back":       v1("shell{}{}{}{}", 56, 61, 60, 65, 67, 69),
		"an offset behind the end":       v1("shell{}{}{}{}", 56, 61, 63, 65, 67, 70),
		"an offset that overflows":       v1("shell{}{}{}{}", 56, 61, 63, 65, 67, max),
		"a first offset that overflows":  v1("shell{}{}{}{}", max, max, max, max, max, max),
		"a header that is not JSON":      v1("shell[]{}{}{}", 56, 61, 63, 65, 67, 69),
		"a parent that is not an object": v1("shell{}[]{}{}", 56, 61, 63, 65, 67, 69),
	} {
		t.Run(name, func(t *testing.T) {
			d := Decoder{Protocol: V1}
			_, err := d.Decode(frame, true)
			if _, ok := errors.AsType[*FormatError](err); !ok {
				t.Errorf("got %v, want a FormatError", err)
			}
		})
	}
	good := v1("shell{}{}{}{}", 56, 61, 63, 65, 67, 69)
	d := Decoder{Protocol: V1}
	if m, err := d.Decode(good, true); err != nil || m.Channel != Shell {
		t.Errorf("the good one: got %+v, %v", m, err)
	}
	for name, frame := range map[string]string{
		"empty": "", "not an object": "[]", "cut": `{"header":{`, "more behind": `{} {}`, "a number for a header": `{"header":5}`,
	} {
		if _, err := new(Decoder).Decode([]byte(frame), false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, frame := range map[string][]byte{
		"short": {0, 0, 0, 1}, "no parts": make([]byte, 8), "behind the end": {0, 0, 0, 1, 0, 0, 0, 99}, "in the table": {0, 0, 0, 1, 0, 0, 0, 4},
		"many": {255, 255, 255, 255, 0, 0, 0, 9},
	} {
		if _, err := new(Decoder).Decode(frame, true); err == nil {
			t.Errorf("legacy binary, %s: no error", name)
		}
	}
}

func TestHeadersThatAreOdd(t *testing.T) {
	for name, c := range map[string]struct {
		json string
		want Header
	}{
		"no date":              {`{"msg_id":"1"}`, Header{MsgID: "1"}},
		"a date without zone":  {`{"msg_id":"1","date":"2026-11-21T04:15:12.5"}`, Header{MsgID: "1"}},
		"null":                 {`null`, Header{}},
		"a null in it":         {`{"msg_id":"1","session":null,"subshell_id":null}`, Header{MsgID: "1"}},
		"members nobody knows": {`{"msg_id":"1","x":[{}]}`, Header{MsgID: "1"}},
	} {
		var got Header
		if err := json.Unmarshal([]byte(c.json), &got); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestTheLastParentIsRememberedButNotMixedUp(t *testing.T) {
	d := Decoder{Protocol: V1}
	for _, parent := range []string{"x", "x", "", "y", "x"} {
		m := sample()
		m.Parent = Header{MsgID: parent}
		frame, _, err := V1.Encode(m)
		require.NoError(t, err)
		got, err := d.Decode(frame, true)
		if err != nil || got.ParentID() != parent {
			t.Errorf("got %q, %v, want %q", got.ParentID(), err, parent)
		}
		clear(frame) // as if the memory were reused
	}
}

func TestAPictureIsNotCopied(t *testing.T) {
	picture := bytes.Repeat([]byte("QUJD"), 1<<20)
	m := &Message{Channel: IOPub, Header: Header{MsgID: "1", MsgType: "display_data"}}
	m.Content = json.RawMessage(`{"data":{"text/plain":"<Figure>","image/png":"` + string(picture) + `"},"metadata":{},"transient":{}}`)
	for _, p := range []Protocol{V1, Legacy} {
		frame, isBinary, err := p.Encode(m)
		require.NoError(t, err)
		d := Decoder{Protocol: p}
		result := testing.Benchmark(func(b *testing.B) { //nolint:thelper // the measured code itself
			b.ReportAllocs()
			for b.Loop() {
				got, err := d.Decode(frame, isBinary)
				require.NoError(b, err)
				var data DisplayData
				if err := got.Decode(&data); err != nil || len(data.Data["image/png"]) != len(picture)+2 {
					b.Fatal(err, len(data.Data["image/png"]))
				}
			}
		})
		if got := result.AllocedBytesPerOp(); got > 16<<10 {
			t.Errorf("%v: decoding 4 MiB allocates %d bytes", p, got)
		}
	}
}
