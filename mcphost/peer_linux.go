package mcphost

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// userOf returns the user who owns the other end of a connection within this machine. It is not
// ok if that cannot be seen.
func userOf(remote, local netip.AddrPort) (uid int, ok bool) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			// sl local_address rem_address st … uid timeout inode, as that end sees it
			f := strings.Fields(line)
			if len(f) < 10 || socketAt(f[1]) != remote || socketAt(f[2]) != local {
				continue
			}
			uid, err := strconv.Atoi(f[7])
			return uid, err == nil
		}
	}
	return 0, false
}

// socketAt reads an address of the table, for example 0100007F:1435: words in the machine's order
// of bytes, and the port. What cannot be read is the zero address.
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
