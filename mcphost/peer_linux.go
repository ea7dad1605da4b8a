package mcphost

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"

	"easel/internal/system"
)

// userOf returns the user who owns the other end of a connection within this machine. ok is
// false if that is unknown.
func userOf(remote, local netip.AddrPort) (uid int, ok bool) {
	for s := range system.TCPSockets() {
		if socketAt(s.Local) == remote && socketAt(s.Remote) == local { // as that end sees it
			uid, err := strconv.Atoi(s.UID)
			return uid, err == nil
		}
	}
	return 0, false
}

// socketAt parses an address of the table, for example 0100007F:1435: 32-bit words in the
// machine's byte order, and the port. It returns the zero AddrPort for an invalid address.
func socketAt(text string) netip.AddrPort {
	words, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(words)
	p, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil || len(b)%4 != 0 {
		return netip.AddrPort{}
	}
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], binary.NativeEndian.Uint32(b[i:]))
	}
	addr, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(addr.Unmap(), uint16(p))
}
