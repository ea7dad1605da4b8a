package local

import (
	"bytes"
	"encoding/hex"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"easel/internal/system"
	"easel/jupyter/connection"
)

// systemData are the data directories of all users.
var systemData = []string{"/usr/local/share/jupyter", "/usr/share/jupyter"}

// owners finds the processes of kernels in /proc. It remembers the process of a socket,
// because finding it means reading what every process of the user has open.
type owners struct {
	known map[string]int // pid by the inode of a listening socket
	user  string
}

// A look is a search among the sockets that listen at one time.
type look struct {
	*owners
	listening map[string]socket // by address; see tcpSockets and unixSockets. nil before it was needed
	inodes    map[string][]int  // pids by inode; nil before it was needed
}

type socket struct {
	inode string
	uid   int // -1 if the table does not contain it
}

func (o *owners) look() *look { return &look{owners: o} }

// load reads the sockets that listen now.
func (l *look) load() {
	l.listening = make(map[string]socket)
	if l.user == "" {
		if u, err := user.Current(); err == nil {
			l.user = u.Username
		}
	}
	l.tcpSockets()
	l.unixSockets("/proc/net/unix")
	open := make(map[string]bool, len(l.listening))
	for _, s := range l.listening {
		open[s.inode] = true
	}
	maps.DeleteFunc(l.known, func(inode string, _ int) bool { return !open[inode] })
}

// tcpSockets adds the sockets that listen, by their port, if they can be reached by a loopback
// address.
func (l *look) tcpSockets() {
	for s := range system.TCPSockets() {
		address, port, _ := strings.Cut(s.Local, ":")
		p, err := strconv.ParseUint(port, 16, 16)
		uid, err2 := strconv.Atoi(s.UID)
		if err == nil && err2 == nil && s.Listens() && isLocal(address) {
			l.listening["tcp "+strconv.FormatUint(p, 10)] = socket{s.Inode, uid}
		}
	}
}

// isLocal reports whether an address of the table, in words of the machine's byte order, is
// unspecified or a loopback address.
func isLocal(address string) bool {
	b, err := hex.DecodeString(address)
	if err != nil || len(b) == 0 {
		return false
	}
	if len(bytes.Trim(b, "\x00")) == 0 {
		return true
	}
	word := b[len(b)-4:] // of IPv4, also mapped; ::1 ends with 1
	return word[0] == 127 || word[3] == 127 || len(b) == 16 && len(bytes.Trim(b[:12], "\x00")) == 0
}

// unixSockets adds the listening sockets of the table by their path.
func (l *look) unixSockets(table string) {
	const accepts = "00010000"
	text, err := os.ReadFile(table)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		// Num RefCount Protocol Flags Type St Inode Path
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 8)
		if len(f) == 8 && f[3] == accepts {
			l.listening["unix "+strings.TrimLeft(f[7], " ")] = socket{strings.TrimSpace(f[6]), -1}
		}
	}
}

// owner returns the process of this user that listens on all of the kernel's ports.
func (l *look) owner(c connection.File) (p process, ok bool) {
	if l.listening == nil {
		l.load()
	}
	pid := 0
	for _, port := range c.Ports() {
		key := "tcp " + strconv.Itoa(port)
		if c.Transport == connection.IPC {
			_, path := c.Address(port)
			key = "unix " + path
		}
		s, listens := l.listening[key]
		if !listens || s.uid >= 0 && s.uid != os.Geteuid() {
			return p, false
		}
		of := l.pid(s.inode)
		if of == 0 || pid != 0 && of != pid {
			return p, false // the ports belong to something else now
		}
		pid = of
	}
	return l.process(pid)
}

// pid returns the process that has a socket, or 0. A process that the kernel has forked may
// have it, too; the oldest is the kernel.
func (l *look) pid(inode string) int {
	if pid, ok := l.known[inode]; ok {
		return pid
	}
	if l.inodes == nil {
		l.inodes = make(map[string][]int)
		for _, pid := range system.Processes() {
			l.add(pid)
		}
	}
	oldest, began := 0, uint64(0)
	for _, pid := range l.inodes[inode] {
		s, _ := system.ReadStat(pid)
		if start, err := strconv.ParseUint(s.Start, 10, 64); err == nil && !s.Ended() && (oldest == 0 || start < began) {
			oldest, began = pid, start
		}
	}
	if oldest != 0 {
		if l.known == nil {
			l.known = make(map[string]int)
		}
		l.known[inode] = oldest
	}
	return oldest
}

// add adds the sockets of a process, if it belongs to the user.
func (l *look) add(pid int) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if !isMine(dir) {
		return
	}
	open, _ := os.ReadDir(filepath.Join(dir, "fd")) // it may just have ended
	for _, fd := range open {
		to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name()))
		if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok {
			inode = strings.TrimSuffix(inode, "]")
			l.inodes[inode] = append(l.inodes[inode], pid)
		}
	}
}

func isMine(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// process describes a process.
func (l *look) process(pid int) (p process, ok bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	s, ok := system.ReadStat(pid)
	if !ok || s.Ended() || !isMine(dir) {
		return p, false
	}
	p.start = s.Start
	p.PID, p.User, p.args = pid, l.user, system.Arguments(pid)
	p.Dir, _ = os.Readlink(filepath.Join(dir, "cwd")) // unknown if not permitted
	p.Started = startTime(p.start)
	p.Program = programOf(system.Arguments(s.Parent))
	return p, true
}

// programOf returns a name for the program that was started with args: for an interpreter,
// that of its script or module.
func programOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := filepath.Base(args[0])
	if !strings.HasPrefix(name, "python") {
		return name
	}
	for i, a := range args[1:] {
		switch {
		case a == "-m" && i+2 < len(args):
			return args[i+2]
		case !strings.HasPrefix(a, "-"):
			return strings.TrimSuffix(filepath.Base(a), ".py")
		}
	}
	return name
}

// ticks is the number of ticks in a second, on every Linux that Go supports.
const ticks = 100

func startTime(start string) time.Time {
	n, err := strconv.ParseInt(start, 10, 64)
	text, err2 := os.ReadFile("/proc/stat")
	if err != nil || err2 != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(text)) {
		if boot, ok := strings.CutPrefix(line, "btime "); ok {
			s, _ := strconv.ParseInt(strings.TrimSpace(boot), 10, 64)
			return time.Unix(s+n/ticks, n%ticks*int64(time.Second/ticks)).UTC()
		}
	}
	return time.Time{}
}
