package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

func encoded(t *testing.T, key string, m *Message) [][]byte {
	t.Helper()
	parts, err := (&SignedCodec{Key: []byte(key)}).Encode(m)
	require.NoError(t, err)
	return parts
}

func TestWhatIsSignedIsDecoded(t *testing.T) {
	for name, m := range samples() {
		for _, key := range []string{"secret", ""} {
			t.Run(name+" "+key, func(t *testing.T) {
				parts := append([][]byte{[]byte("a topic"), []byte("or two")}, encoded(t, key, m)...)
				s := SignedCodec{Key: []byte(key)}
				got, err := s.Decode(m.Channel, parts)
				require.NoError(t, err)
				want := *m
				want.Metadata, want.Content = orObject(m.Metadata), orObject(m.Content)
				if diff := cmp.Diff(&want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				parts[2+1+signedContent], parts[2+1+signedMetadata] = nil, nil // too large to be read
				head, err := s.DecodeHead(m.Channel, parts)
				require.NoError(t, err)
				if head.Header != m.Header || head.Parent != m.Parent || head.Content != nil {
					t.Errorf("head: got %+v", head)
				}
			})
		}
	}
}

// TestTheSignatureIsJupyters compares the signature with Python's: hmac.new(b"secret",
// b"{}" * 4, "sha256").hexdigest().
func TestTheSignatureIsJupyters(t *testing.T) {
	parts := encoded(t, "secret", &Message{Channel: Shell})
	const want = "34982f0bfec60e7b933ffde06c1ecab0fba073717a95ab943d1dd06f82c2d5e4"
	if got := string(parts[1]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := encoded(t, "", &Message{Channel: Shell})[1]; len(got) != 0 {
		t.Errorf("without a key: got %q", got)
	}
}

func TestWhatIsNotOfTheKernelIsRefused(t *testing.T) {
	const header, parent, metadata, content = 2, 3, 4, 5 // counting the delimiter
	for name, c := range map[string]struct {
		change func(parts [][]byte) [][]byte
		reason string
	}{
		"another key":         {func(p [][]byte) [][]byte { return encoded(t, "other", sample()) }, "signature"},
		"no signature":        {func(p [][]byte) [][]byte { p[1] = nil; return p }, "signature"},
		"a changed header":    {func(p [][]byte) [][]byte { p[header] = append(p[header], ' '); return p }, "signature"},
		"a changed parent":    {func(p [][]byte) [][]byte { p[parent] = append(p[parent], ' '); return p }, "signature"},
		"changed metadata":    {func(p [][]byte) [][]byte { p[metadata] = []byte("{}"); return p }, "signature"},
		"changed content":     {func(p [][]byte) [][]byte { p[content] = []byte("{}"); return p }, "signature"},
		"a missing part":      {func(p [][]byte) [][]byte { return p[:content] }, "4 parts"},
		"no delimiter":        {func(p [][]byte) [][]byte { return p[1:] }, "no delimiter in 5 parts"},
		"nothing":             {func(p [][]byte) [][]byte { return nil }, "no delimiter in 0 parts"},
		"a header that is no": {func(p [][]byte) [][]byte { return resigned(t, p, header, "[") }, "header"},
		"a parent that is no": {func(p [][]byte) [][]byte { return resigned(t, p, parent, "7") }, "parent header"},
	} {
		t.Run(name, func(t *testing.T) {
			s := SignedCodec{Key: []byte("secret")}
			m, err := s.Decode(IOPub, c.change(encoded(t, "secret", sample())))
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(format.Reason, c.reason) {
				t.Errorf("got %+v, %v; want one about %q", m, err, c.reason)
			}
		})
	}
	t.Run("headers that are missing", func(t *testing.T) {
		parts := encoded(t, "secret", sample())
		parts[parent] = nil
		if m, err := new(SignedCodec).DecodeHead(IOPub, parts); err == nil {
			t.Errorf("got %+v", m)
		}
	})
}

// resigned replaces one of parts and signs the result.
func resigned(t *testing.T, parts [][]byte, place int, by string) [][]byte {
	t.Helper()
	parts[place] = []byte(by)
	parts[1] = (&SignedCodec{Key: []byte("secret")}).sign(parts[2:])
	return parts
}
