package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// SignatureScheme is the only signature scheme that [SignedCodec] supports, by its name in a
// connection file. It is every kernel's default.
const SignatureScheme = "hmac-sha256"

// ErrSignature is the error of a message that was signed with another key. It is a
// *[FormatError].
var ErrSignature error = &FormatError{"the signature is not the kernel's"}

// delimiter separates the routing part of a message from its signature.
const delimiter = "<IDS|MSG>"

// SignedCodec encodes messages for a kernel's own ZeroMQ sockets: in parts, with a signature.
// See "The Wire Protocol" in jupyter-client's documentation.
type SignedCodec struct {
	Key []byte // from the connection file; if empty, nothing is signed

	decoder Decoder
}

// The parts of a message after the delimiter, in order. Buffers follow.
const (
	signedSignature = iota
	signedHeader
	signedParent
	signedMetadata
	signedContent
	signedFixed
)

// Encode returns the parts of m.
func (s *SignedCodec) Encode(m *Message) ([][]byte, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, err
	}
	parent, err := json.Marshal(m.Parent)
	if err != nil {
		return nil, err
	}
	parts := [][]byte{[]byte(delimiter), nil, header, parent, orObject(m.Metadata), orObject(m.Content)}
	parts[1+signedSignature] = s.sign(parts[1+signedHeader:])
	return append(parts, m.Buffers...), nil
}

// sign returns the signature of the four parts that follow it, in hexadecimal.
func (s *SignedCodec) sign(parts [][]byte) []byte {
	if len(s.Key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, s.Key)
	for _, part := range parts[:signedFixed-signedHeader] {
		mac.Write(part)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// Decode decodes a message of a channel. The message shares memory with parts. Every
// error is a *[FormatError].
func (s *SignedCodec) Decode(channel string, parts [][]byte) (*Message, error) {
	parts, err := behindDelimiter(parts)
	if err != nil {
		return nil, err
	}
	if want := s.sign(parts[signedHeader:]); !hmac.Equal(want, parts[signedSignature]) && len(s.Key) > 0 {
		return nil, ErrSignature
	}
	m, err := s.decoder.message(channel, parts[signedHeader], parts[signedParent])
	if err != nil {
		return nil, err
	}
	m.Metadata, m.Content = parts[signedMetadata], parts[signedContent]
	if len(parts) > signedFixed {
		m.Buffers = parts[signedFixed:]
	}
	return m, nil
}

// DecodeHead decodes the headers of a message that was too large, so that its other
// parts may be missing. Without them, the signature cannot be verified.
func (s *SignedCodec) DecodeHead(channel string, parts [][]byte) (*Message, error) {
	parts, err := behindDelimiter(parts)
	if err != nil {
		return nil, err
	}
	if parts[signedHeader] == nil || parts[signedParent] == nil {
		return nil, formatErrorf("the headers are too large")
	}
	return s.decoder.message(channel, parts[signedHeader], parts[signedParent])
}

func behindDelimiter(parts [][]byte) ([][]byte, error) {
	for i, part := range parts {
		if !bytes.Equal(part, []byte(delimiter)) {
			continue
		}
		if parts = parts[i+1:]; len(parts) < signedFixed {
			return nil, formatErrorf("%d parts behind the delimiter", len(parts))
		}
		return parts, nil
	}
	return nil, formatErrorf("no delimiter in %d parts", len(parts))
}
