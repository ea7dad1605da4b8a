package kernels

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestRunsHere(t *testing.T) {
	const id, other = "0b3a1f5e-52f8-4a4c-9d6e-3f1f6f0c8a11", "1b3a1f5e-52f8-4a4c-9d6e-3f1f6f0c8a12"
	if runsHere(os.Getpid(), id) {
		t.Error("this process is no kernel")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "while :; do sleep 600; done", "-f", "/run/kernel-"+id+".json")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	wait := func(what string, want bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); runsHere(pid, id) != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: runsHere is not %v", what, want)
			}
		}
	}
	wait("it runs", true)
	if runsHere(pid, other) || runsHere(pid, "") || runsHere(0, id) || runsHere(-1, id) {
		t.Error("another kernel, or none")
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	wait("it is stopped", false)
	signal(syscall.SIGCONT)
	wait("it goes on", true)
	signal(syscall.SIGKILL)
	wait("it is dead, and nobody has asked after it", false)
	_ = cmd.Wait()
	if runsHere(pid, id) {
		t.Error("it is gone")
	}
}
