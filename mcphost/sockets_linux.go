package mcphost

import (
	"iter"
	"os"
	"strings"
)

// A tcpSocket is a line of the kernel's tables of TCP sockets, see proc_pid_net(5).
type tcpSocket struct{ local, remote, state, uid, inode string }

// tcpSockets lists the TCP sockets of this machine.
func tcpSockets() iter.Seq[tcpSocket] {
	return func(yield func(tcpSocket) bool) {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			table, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(table)) {
				// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
				f := strings.Fields(line)
				if len(f) >= 10 && !yield(tcpSocket{local: f[1], remote: f[2], state: f[3], uid: f[7], inode: f[9]}) {
					return
				}
			}
		}
	}
}
