package desktop

import (
	"context"
	"runtime"

	"golang.org/x/sys/windows"
)

// Flags of SetThreadExecutionState.
const (
	esContinuous      = 0x80000000
	esDisplayRequired = 0x00000002
)

var setThreadExecutionState = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadExecutionState")

// KeepAwake keeps the screen on until ctx ends. It returns an error at once if Windows
// refuses.
func KeepAwake(ctx context.Context, _ string) error {
	runtime.LockOSThread() // the state belongs to the thread
	defer runtime.UnlockOSThread()
	if former, _, err := setThreadExecutionState.Call(esContinuous | esDisplayRequired); former == 0 {
		return err
	}
	<-ctx.Done()
	if former, _, err := setThreadExecutionState.Call(esContinuous); former == 0 {
		return err
	}
	return nil
}
