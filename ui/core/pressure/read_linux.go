package pressure

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Read returns the memory of this machine or control group, or a zero Reading if it is
// unknown.
func Read() Reading { return read("/proc", "/sys/fs/cgroup") }

// read is Read with the mount points of proc(5) and of cgroups(7).
func read(proc, groups string) Reading {
	info := fields(path.Join(proc, "meminfo"))
	r := Reading{Available: info["MemAvailable:"] << 10, Total: info["MemTotal:"] << 10}
	raw, err := os.ReadFile(path.Join(proc, "self/cgroup"))
	if err != nil {
		return r
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 || !strings.HasPrefix(f[2], "/") {
			continue
		}
		var files groupFiles
		switch controllers := strings.Split(f[1], ","); {
		case f[1] == "":
			files = groupFiles{groups, "memory.max", "memory.current", "inactive_file"}
		case slices.Contains(controllers, "memory"): // version 1
			files = groupFiles{path.Join(groups, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
		default:
			continue
		}
		for group := f[2]; ; group = path.Dir(group) { // a group's limit also applies to its descendants
			r = r.within(path.Join(files.root, group), files)
			if group == "/" {
				break
			}
		}
	}
	return r
}

// groupFiles are the files of control groups, and the field of memory.stat for cached files that are evicted first.
type groupFiles struct{ root, limit, used, cached string }

// within returns r, or the Reading of the control group at dir if that has less memory.
func (r Reading) within(dir string, files groupFiles) Reading {
	limit, used := number(path.Join(dir, files.limit)), number(path.Join(dir, files.used))
	if limit <= 0 || r.Total > 0 && limit >= r.Total {
		return r
	}
	// Cached files count as used, but are evicted first.
	free := limit - used + fields(path.Join(dir, "memory.stat"))[files.cached]
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
