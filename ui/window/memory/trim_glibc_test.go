//go:build linux && cgo

package memory

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"easel/ui/window/memory/memorytest"
)

// TestAFrameUsesTheMemoryOfTheOneBefore: memory that has returned to the system costs page faults when it is used
// again, which took a third of the time of the window's goroutine.
func TestAFrameUsesTheMemoryOfTheOneBefore(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	faults := func() int64 {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
			t.Fatal(err)
		}
		return used.Minflt
	}
	Tune()
	memorytest.Frame()
	const frames = 10
	before := faults()
	for range frames {
		memorytest.Frame()
	}
	pages := int64(memorytest.FrameBytes / os.Getpagesize())
	if got := faults() - before; got > frames*pages/10 {
		t.Errorf("%d frames of %d pages cost %d page faults", frames, pages, got)
	}
}
