package usage

import (
	"strconv"
	"strings"
	"time"
)

// parsePS reads what ps says: pid, parent, kilobytes, processor time and command line, one process a line.
func parsePS(text string) (all []process) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		parent, _ := strconv.Atoi(f[1])
		kilobytes, _ := strconv.ParseInt(f[2], 10, 64)
		all = append(all, process{
			pid: pid, parent: parent, memory: kilobytes << 10, time: clockTime(f[3]), args: strings.Join(f[4:], " "),
		})
	}
	return all
}

// clockTime reads a duration such as 1-02:03:04 or 12:34.56.
func clockTime(text string) time.Duration {
	days, rest, ok := strings.Cut(text, "-")
	if !ok {
		days, rest = "0", text
	}
	n, _ := strconv.Atoi(days)
	seconds := float64(n) * 24
	parts := strings.Split(rest, ":")
	for len(parts) < 3 {
		parts = append([]string{"0"}, parts...)
	}
	for i, p := range parts {
		v, _ := strconv.ParseFloat(p, 64)
		if i > 0 {
			seconds *= 60
		}
		seconds += v
	}
	return time.Duration(seconds * float64(time.Second))
}
