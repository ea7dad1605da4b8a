package browser

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"easel/internal/system"
)

// A way is a way to start the browser.
type way struct {
	name     string
	isolated bool                // in a network namespace of its own, which is empty
	user     *syscall.Credential // user that it runs as; nil: Easel's
}

// ways returns the ways to start a browser, safest first. The browser's sandbox does not
// work as root.
func ways() []way {
	if os.Geteuid() != 0 {
		return []way{{name: "without a network", isolated: true}, {name: "plain"}}
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	if u, err := user.Lookup("nobody"); err == nil {
		uid, badUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, badGID := strconv.ParseUint(u.Gid, 10, 32)
		if badUID == nil && badGID == nil {
			nobody = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return []way{{name: "as nobody, without a network", isolated: true, user: nobody}, {name: "as nobody", user: nobody}}
}

// prepare sets the attributes of cmd. It gets its own process group, ends when Easel ends,
// and has the pipes as file descriptors 3 and 4.
func (w way) prepare(cmd *exec.Cmd, in, out *os.File) {
	cmd.ExtraFiles = []*os.File{in, out}
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: w.user}
	if w.isolated {
		attr.Cloneflags = syscall.CLONE_NEWNET
		if w.user == nil { // without root, this needs a user namespace
			attr.Cloneflags |= syscall.CLONE_NEWUSER
			attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
			attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		}
	}
	cmd.SysProcAttr = attr
}

// give makes the user that the browser runs as the owner of a directory.
func (w way) give(dir string) error {
	if w.user == nil {
		return nil
	}
	return os.Chown(dir, int(w.user.Uid), int(w.user.Gid))
}

// systemArguments returns the arguments of the browser that this system needs.
func systemArguments() []string {
	var st unix.Statfs_t
	if unix.Statfs("/dev/shm", &st) == nil && st.Bavail*uint64(st.Bsize) > 512<<20 {
		return nil
	}
	return []string{"--disable-dev-shm-usage"} // it is small in containers
}

// killAll kills the browser and its descendants, and waits up to two seconds for their end.
func killAll(pid int, _ *os.Process) {
	for range 100 {
		_ = unix.Kill(-pid, unix.SIGKILL)
		alive := family(pid)
		for _, member := range alive {
			_ = unix.Kill(member, unix.SIGKILL)
		}
		if len(alive) == 0 {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// family returns the running processes of the browser: its process group and its
// descendants. It does not contain zombies.
func family(leader int) []int {
	type parent struct{ pid, parent int }
	var rest []parent
	in := map[int]bool{leader: true}
	var members []int
	for _, pid := range system.Processes() {
		s, ok := system.ReadStat(pid)
		switch {
		case !ok || s.Ended():
		case s.Group == leader:
			in[pid] = true
			members = append(members, pid)
		default:
			rest = append(rest, parent{pid, s.Parent})
		}
	}
	for again := true; again; {
		again = false
		for _, p := range rest {
			if in[p.parent] && !in[p.pid] {
				in[p.pid], again = true, true
				members = append(members, p.pid)
			}
		}
	}
	return members
}

// memory returns the anonymous and shared memory of the browser's processes, in bytes.
func memory(leader int) int64 {
	var sum int64
	for _, pid := range family(leader) {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			continue
		}
		for line := range bytes.Lines(text) {
			name, value, _ := bytes.Cut(line, []byte(":"))
			if string(name) != "RssAnon" && string(name) != "RssShmem" {
				continue
			}
			kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
			if err == nil {
				sum += kib << 10
			}
		}
	}
	return sum
}
