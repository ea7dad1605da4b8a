//go:build !linux

package mcphost

import "net/netip"

// userOf is not known here.
func userOf(_, _ netip.AddrPort) (uid int, ok bool) { return 0, false }
