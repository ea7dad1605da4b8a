package pressure

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
)

// Read returns the memory of this machine or control group, or a zero Reading if it is
// unknown.
func Read() Reading { return read("/proc", "/sys/fs/cgroup") }

// read is Read with the mount points of proc(5) and of cgroups(7) version 2.
func read(proc, groups string) Reading {
	info := fields(path.Join(proc, "meminfo"))
	r := Reading{Available: info["MemAvailable:"] << 10, Total: info["MemTotal:"] << 10}
	group := ""
	if raw, err := os.ReadFile(path.Join(proc, "self/cgroup")); err == nil {
		for line := range strings.Lines(string(raw)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				group = name
			}
		}
	}
	for group != "" { // a group's limit also applies to its descendants
		r = r.within(path.Join(groups, group))
		if group == "/" {
			break
		}
		group = path.Dir(group)
	}
	return r
}

// within returns r, or the Reading of the control group at dir if that has less memory.
func (r Reading) within(dir string) Reading {
	limit, used := number(path.Join(dir, "memory.max")), number(path.Join(dir, "memory.current"))
	if limit <= 0 || r.Total > 0 && limit >= r.Total {
		return r
	}
	// Cached files count as used, but are evicted first.
	free := limit - used + fields(path.Join(dir, "memory.stat"))["inactive_file"]
	return Reading{Available: min(r.Available, max(0, free)), Total: limit}
}

func number(file string) int64 {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil { // max
		return 0
	}
	return n
}

// fields parses a file with lines of a name and a number. It returns an empty map if it
// cannot read the file.
func fields(file string) map[string]int64 {
	all := make(map[string]int64)
	raw, err := os.ReadFile(file)
	if err != nil {
		return all
	}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) >= 2 {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				all[f[0]] = n
			}
		}
	}
	return all
}
