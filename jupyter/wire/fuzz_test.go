package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"easel/internal/require"
)

// FuzzDecode passes arbitrary input to Decode. Decode must not panic, and what it
// accepts must survive encoding and decoding.
func FuzzDecode(f *testing.F) {
	withBuffers := sample()
	withBuffers.Buffers = [][]byte{{1, 2, 3}, {}}
	for _, m := range []*Message{sample(), withBuffers, {}} {
		for _, p := range []Protocol{V1, Legacy} {
			frame, isBinary, err := p.Encode(m)
			require.NoError(f, err)
			f.Add(frame, isBinary, p == V1)
			f.Add(frame[:len(frame)/2], isBinary, p == V1)
		}
	}
	f.Add(v1("shell{}{}{}{}", 56, 61, 63, 65, 67, ^uint64(0)), true, true)
	f.Fuzz(func(t *testing.T, frame []byte, isBinary, isV1 bool) {
		d := Decoder{}
		if isV1 {
			d.Protocol = V1
		}
		_, _ = d.DecodeHead(bytes.Clone(frame), isBinary)
		m, err := d.Decode(bytes.Clone(frame), isBinary)
		if err != nil {
			return
		}
		_ = m.Decode(new(DisplayData))
		_ = m.Decode(new(ExecuteReply))
		if !json.Valid(orObject(m.Content)) || !json.Valid(orObject(m.Metadata)) {
			return // V1 does not inspect them
		}
		again, isBinary, err := d.Protocol.Encode(m)
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		back, err := d.Decode(again, isBinary)
		if err != nil {
			t.Fatalf("%q: %v", again, err)
		}
		if !back.Header.Date.Equal(m.Header.Date) {
			t.Errorf("date: got %v, want %v", back.Header.Date, m.Header.Date)
		}
		back.Header.Date, back.Parent.Date = m.Header.Date, m.Parent.Date
		if back.Header != m.Header || back.Parent != m.Parent || len(back.Buffers) != len(m.Buffers) {
			t.Errorf("got %+v, want %+v", back, m)
		}
	})
}

// FuzzMembers compares members with encoding/json for input that the latter accepts.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"a":1}`, `{"a":{"b":["]",{}]},"c":"\\\""}`, ` { "\u0061" : null , "b" : -1.5e3 } `, `{"a":1,"a":2}`, `{"a"}`, `{"a":1,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := make(map[string]string)
		err := members(data, func(key string, value json.RawMessage) error {
			got[key] = string(value)
			return nil
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: got %v, want %v", data, got, want)
		}
		for key, value := range want {
			if got[key] != string(value) {
				t.Errorf("%q: %q: got %q, want %q", data, key, got[key], value)
			}
		}
	})
}
