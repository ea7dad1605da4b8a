package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// A Protocol is one of the two encodings of messages in websocket frames.
type Protocol int

const (
	// Legacy is the old encoding: JSON as text, or as binary if there are buffers. A
	// server that selects no subprotocol uses it.
	Legacy Protocol = iota
	// V1 is the binary encoding, which does not escape and parse content twice.
	V1
)

// V1Name is the name of V1 in the websocket handshake.
const V1Name = "v1.kernel.websocket.jupyter.org"

// Negotiated returns the protocol for the subprotocol that was selected in the handshake
// of a websocket.
func Negotiated(subprotocol string) Protocol {
	if subprotocol == V1Name {
		return V1
	}
	return Legacy
}

// String returns the protocol's name in the handshake, or "legacy" for the old one,
// which has no name.
func (p Protocol) String() string {
	if p == V1 {
		return V1Name
	}
	return "legacy"
}

// The parts of a V1 frame, in order.
const (
	partChannel = iota
	partHeader
	partParent
	partMetadata
	partContent
	fixedParts // buffers follow
)

// maxParts is the maximum number of parts of a frame: far more than any widget sends.
const maxParts = 1 << 16

// Encode encodes m as a frame, and reports whether it is sent as a binary or a text
// message.
func (p Protocol) Encode(m *Message) (frame []byte, isBinary bool, err error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, false, err
	}
	parent, err := json.Marshal(m.Parent)
	if err != nil {
		return nil, false, err
	}
	if p == V1 {
		return encodeV1(m, header, parent), true, nil
	}
	return encodeLegacy(m, header, parent)
}

func encodeV1(m *Message, header, parent []byte) []byte {
	parts := make([][]byte, 0, fixedParts+len(m.Buffers))
	parts = append(parts, []byte(m.Channel), header, parent, orObject(m.Metadata), orObject(m.Content))
	parts = append(parts, m.Buffers...)
	n := len(parts) + 1
	size := 8 * (n + 1)
	for _, part := range parts {
		size += len(part)
	}
	frame := make([]byte, 0, size)
	frame = binary.LittleEndian.AppendUint64(frame, uint64(n))
	at := 8 * (n + 1)
	frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	for _, part := range parts {
		at += len(part)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	}
	for _, part := range parts {
		frame = append(frame, part...)
	}
	return frame
}

func encodeLegacy(m *Message, header, parent []byte) (frame []byte, isBinary bool, err error) {
	text, err := json.Marshal(struct {
		Channel  string          `json:"channel"`
		MsgID    string          `json:"msg_id"`
		MsgType  string          `json:"msg_type"`
		Header   json.RawMessage `json:"header"`
		Parent   json.RawMessage `json:"parent_header"`
		Metadata json.RawMessage `json:"metadata"`
		Content  json.RawMessage `json:"content"`
		Buffers  []struct{}      `json:"buffers"`
	}{m.Channel, m.Header.MsgID, m.Header.MsgType, header, parent, orObject(m.Metadata), orObject(m.Content), []struct{}{}})
	if err != nil || len(m.Buffers) == 0 {
		return text, false, err
	}
	parts := append([][]byte{text}, m.Buffers...)
	at := 4 * (len(parts) + 1)
	frame = binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, part := range parts {
		frame = binary.BigEndian.AppendUint32(frame, uint32(at))
		at += len(part)
	}
	return append(frame, bytes.Join(parts, nil)...), true, nil
}

// A Decoder decodes the frames of one websocket. It caches the last parent header,
// because a thousand lines of output have the same one. The zero Decoder decodes Legacy
// frames.
type Decoder struct {
	Protocol Protocol

	parentJSON []byte // a copy
	parent     Header
}

// Decode decodes one frame. isBinary says whether it arrived as a binary message. The
// message shares the frame's memory, so the caller must not reuse the frame. Every error
// is a *[FormatError].
func (d *Decoder) Decode(frame []byte, isBinary bool) (*Message, error) {
	switch {
	case d.Protocol == V1 && isBinary:
		parts, err := splitV1(frame, len(frame))
		if err != nil {
			return nil, err
		}
		m, err := d.message(string(parts[partChannel]), parts[partHeader], parts[partParent])
		if err != nil {
			return nil, err
		}
		m.Metadata, m.Content = bytes.Clone(parts[partMetadata]), parts[partContent]
		if len(parts) > fixedParts {
			m.Buffers = parts[fixedParts:]
		}
		return m, nil
	case isBinary:
		parts, err := splitLegacy(frame)
		if err != nil {
			return nil, err
		}
		m, err := d.decodeText(parts[0], false)
		if err != nil {
			return nil, err
		}
		m.Buffers = parts[1:]
		return m, nil
	default:
		return d.decodeText(frame, false)
	}
}

// DecodeHead decodes what it can from the beginning of a frame: channel and headers, but
// no content. It identifies a message that was too large to be read completely.
func (d *Decoder) DecodeHead(head []byte, isBinary bool) (*Message, error) {
	if d.Protocol != V1 || !isBinary {
		if isBinary {
			n, err := legacyTextStart(head)
			if err != nil {
				return nil, err
			}
			head = head[n:]
		}
		return d.decodeText(head, true)
	}
	parts, err := splitV1(head, int(^uint(0)>>1))
	if err != nil {
		return nil, err
	}
	return d.message(string(parts[partChannel]), parts[partHeader], parts[partParent])
}

func (d *Decoder) message(channel string, header, parent []byte) (*Message, error) {
	m := &Message{Channel: channel}
	if err := m.Header.UnmarshalJSON(header); err != nil {
		return nil, formatErrorf("header: %v", err)
	}
	if len(d.parentJSON) == 0 || !bytes.Equal(parent, d.parentJSON) {
		var h Header
		if err := h.UnmarshalJSON(parent); err != nil {
			return nil, formatErrorf("parent header: %v", err)
		}
		d.parentJSON, d.parent = bytes.Clone(parent), h
	}
	m.Parent = d.parent
	return m, nil
}

// splitV1 splits a frame into its parts. If the frame is incomplete (size is larger than
// its length), only the parts up to the parent header are returned and the others are
// empty.
func splitV1(frame []byte, size int) ([][]byte, error) {
	n, err := countV1(frame)
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, n-1)
	table := 8 * (n + 1)
	from := binary.LittleEndian.Uint64(frame[8:])
	if from < uint64(table) {
		return nil, formatErrorf("the first part begins at %d, within the table of %d bytes", from, table)
	}
	for i := range parts {
		to := binary.LittleEndian.Uint64(frame[8*(i+2):])
		switch {
		case to < from || to > uint64(size):
			return nil, formatErrorf("part %d runs from %d to %d in a frame of %d", i, from, to, size)
		case to <= uint64(len(frame)):
			parts[i] = frame[from:to:to]
		case i <= partParent:
			return nil, formatErrorf("part %d ends at %d, behind the %d bytes at hand", i, to, len(frame))
		}
		from = to
	}
	return parts, nil
}

// countV1 returns the number of offsets of a frame that contains the complete table.
func countV1(frame []byte) (int, error) {
	if len(frame) < 8 {
		return 0, formatErrorf("%d bytes", len(frame))
	}
	n := binary.LittleEndian.Uint64(frame)
	if n < fixedParts+1 || n > maxParts {
		return 0, formatErrorf("%d offsets", n)
	}
	if uint64(len(frame)) < 8*(n+1) {
		return 0, formatErrorf("%d offsets in %d bytes", n, len(frame))
	}
	return int(n), nil
}

// SizeV1 returns the length of a complete V1 frame from its beginning. The frame itself
// states it, so check it before allocating.
func SizeV1(head []byte) (uint64, error) {
	n, err := countV1(head)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(head[8*n:]), nil
}

// splitLegacy splits a binary frame of the old protocol into the JSON text and the
// buffers.
func splitLegacy(frame []byte) ([][]byte, error) {
	first, err := legacyTextStart(frame)
	if err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(frame))
	parts := make([][]byte, n)
	from := first
	for i := range parts {
		to := len(frame)
		if i+1 < n {
			to = int(binary.BigEndian.Uint32(frame[4*(i+2):]))
		}
		if to < from || to > len(frame) {
			return nil, formatErrorf("part %d runs from %d to %d in a frame of %d", i, from, to, len(frame))
		}
		parts[i] = frame[from:to:to]
		from = to
	}
	return parts, nil
}

// legacyTextStart returns where the JSON text of a binary frame of the old protocol
// begins.
func legacyTextStart(frame []byte) (int, error) {
	if len(frame) < 8 {
		return 0, formatErrorf("%d bytes", len(frame))
	}
	n := binary.BigEndian.Uint32(frame)
	if n == 0 || n > maxParts || uint64(len(frame)) < 4*(uint64(n)+1) {
		return 0, formatErrorf("%d parts in %d bytes", n, len(frame))
	}
	first := binary.BigEndian.Uint32(frame[4:])
	if uint64(first) < 4*(uint64(n)+1) || uint64(first) > uint64(len(frame)) {
		return 0, formatErrorf("the first part begins at %d in a frame of %d", first, len(frame))
	}
	return int(first), nil
}

// decodeText decodes the JSON object of the old protocol. With partial, text may be only
// its beginning.
func (d *Decoder) decodeText(text []byte, partial bool) (*Message, error) {
	var channel string
	var header, parent, metadata, content json.RawMessage
	err := members(text, func(key string, value json.RawMessage) error {
		switch key {
		case "channel":
			return json.Unmarshal(value, &channel)
		case "header":
			header = value
		case "parent_header":
			parent = value
		case "metadata":
			metadata = value
		case "content":
			content = value
		}
		return nil
	})
	if partial {
		content = nil
		if header == nil || parent == nil {
			return nil, formatErrorf("no headers in the first %d bytes", len(text))
		}
		if channel == "" {
			channel = IOPub // the channel is at the end; large messages come on iopub
		}
	} else if err != nil {
		return nil, formatErrorf("%v", err)
	}
	m, err := d.message(channel, orObject(header), orObject(parent))
	if err != nil {
		return nil, err
	}
	m.Metadata, m.Content = bytes.Clone(metadata), content
	return m, nil
}
