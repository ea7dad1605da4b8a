package system

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Processes returns the ids of all processes, in no order. A pattern such as
// /proc/[0-9]*/stat takes five times as long, because it lists the files of each process.
func Processes() []int {
	entries, _ := os.ReadDir("/proc") // what could be read
	pids := make([]int, 0, len(entries))
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// A ProcessStat is what the kernel says about a process; see proc_pid_stat(5).
type ProcessStat struct {
	State         byte // R, S, D, …
	Parent, Group int
	Start         string // when it began, in ticks since the machine started
	Ticks         int64  // processor time until now, without its children
}

// Ended reports whether the process has ended, and only its parent has not noticed yet.
func (s ProcessStat) Ended() bool { return s.State == 'Z' || s.State == 'X' }

// ReadStat returns what the kernel says about a process; false if there is none.
func ReadStat(pid int) (s ProcessStat, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	// The name, in parentheses, may contain spaces and parentheses.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 20 {
		return s, false
	}
	s = ProcessStat{State: f[0][0], Start: f[19]}
	s.Parent, _ = strconv.Atoi(f[1]) // they are numbers
	s.Group, _ = strconv.Atoi(f[2])
	user, _ := strconv.ParseInt(f[11], 10, 64)
	kernel, _ := strconv.ParseInt(f[12], 10, 64)
	s.Ticks = user + kernel
	return s, true
}

// Arguments returns the command line of a process; nil if it is not known.
func Arguments(pid int) []string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(line) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
}

// A TCPSocket is a line of the kernel's tables of TCP sockets; see proc_pid_net(5).
type TCPSocket struct{ Local, Remote, State, UID, Inode string }

// Listens reports whether the socket accepts connections.
func (s TCPSocket) Listens() bool { return s.State == "0A" }

// TCPSockets lists the TCP sockets of this machine.
func TCPSockets() iter.Seq[TCPSocket] {
	return func(yield func(TCPSocket) bool) {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			table, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(table)) {
				// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
				f := strings.Fields(line)
				if len(f) >= 10 && !yield(TCPSocket{Local: f[1], Remote: f[2], State: f[3], UID: f[7], Inode: f[9]}) {
					return
				}
			}
		}
	}
}

// Listener names the program that listens on a TCP port of this machine, for example
// "python3 (pid 4711)". It returns "" if this process may not see that.
func Listener(port int) string {
	sockets := make(map[string]bool)
	for s := range TCPSockets() {
		_, at, _ := strings.Cut(s.Local, ":")
		if p, err := strconv.ParseInt(at, 16, 32); err == nil && int(p) == port && s.Listens() {
			sockets["socket:["+s.Inode+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is valid
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && sockets[to] {
			dir := filepath.Dir(filepath.Dir(l))
			name, err := os.ReadFile(filepath.Join(dir, "comm"))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(name)) + " (pid " + filepath.Base(dir) + ")"
		}
	}
	return ""
}
