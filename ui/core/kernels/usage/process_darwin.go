package usage

import (
	"context"
	"os/exec"
	"time"
)

// psTime is the time limit for ps.
const psTime = 2 * time.Second

// processes lists the processes of the user. Without cgo, only ps tells.
func processes() []process {
	ctx, cancel := context.WithTimeout(context.Background(), psTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/bin/ps", "-xww", "-o", "pid=,ppid=,rss=,time=,command=").Output()
	if err != nil {
		return nil
	}
	return parsePS(string(out))
}
