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
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			// sl local_address rem_address st … uid timeout inode
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" { // TCP_LISTEN
				continue
			}
			_, at, _ := strings.Cut(f[1], ":")
			if p, err := strconv.ParseInt(at, 16, 32); err == nil && int(p) == port {
				sockets["socket:["+f[9]+"]"] = true
			}
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
