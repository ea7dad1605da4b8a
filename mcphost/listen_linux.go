package mcphost

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// programOn names the program that listens on a TCP port of this machine, for example
// "python3 (pid 4711)". It returns "" if this process may not see that.
func programOn(port int) string {
	sockets := make(map[string]bool)
	for s := range tcpSockets() {
		if s.state != "0A" { // TCP_LISTEN
			continue
		}
		_, at, _ := strings.Cut(s.local, ":")
		if p, err := strconv.ParseInt(at, 16, 32); err == nil && int(p) == port {
			sockets["socket:["+s.inode+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is valid
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && sockets[to] {
			pid := strings.Split(l, "/")[2]
			name, err := os.ReadFile("/proc/" + pid + "/comm")
			if err != nil {
				return ""
			}
			return fmt.Sprintf("%s (pid %s)", strings.TrimSpace(string(name)), pid)
		}
	}
	return ""
}
