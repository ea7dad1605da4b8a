package tray

import (
	"errors"
	"os"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The tray icon as systray makes it.
const (
	iconClass = "SystrayClass" // of its invisible window
	iconID    = 100
)

var (
	shell32         = windows.NewLazySystemDLL("shell32.dll")
	user32          = windows.NewLazySystemDLL("user32.dll")
	shellNotifyIcon = shell32.NewProc("Shell_NotifyIconW")
	findWindowEx    = user32.NewProc("FindWindowExW")
)

// Constants of Shell_NotifyIcon.
const (
	nimModify = 1
	nifInfo   = 0x10
)

// notifyIconData is NOTIFYICONDATAW.
type notifyIconData struct {
	size                uint32
	window              windows.HWND
	id, flags, callback uint32
	icon                windows.Handle
	tip                 [128]uint16
	state, stateMask    uint32
	info                [256]uint16
	version             uint32
	infoTitle           [64]uint16
	infoFlags           uint32
	guid                windows.GUID
	balloonIcon         windows.Handle
}

// showBalloon shows a notification with the icon of this program in the tray.
func showBalloon(title, text string) error {
	window, err := iconWindow()
	if err != nil {
		return err
	}
	d := notifyIconData{window: window, id: iconID, flags: nifInfo}
	d.size = uint32(unsafe.Sizeof(d))
	cut(d.info[:], text)
	cut(d.infoTitle[:], title)
	if ok, _, err := shellNotifyIcon.Call(nimModify, uintptr(unsafe.Pointer(&d))); ok == 0 { //nolint:gosec // as it must be called
		return err
	}
	return nil
}

// iconWindow returns the window of this program's tray icon.
func iconWindow() (windows.HWND, error) {
	class, err := windows.UTF16PtrFromString(iconClass)
	if err != nil {
		return 0, err
	}
	for w := uintptr(0); ; {
		if w, _, _ = findWindowEx.Call(0, w, uintptr(unsafe.Pointer(class)), 0); w == 0 { //nolint:gosec // as it must be called
			return 0, errors.New("there is no tray icon")
		}
		var pid uint32
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(w), &pid); err == nil && int(pid) == os.Getpid() {
			return windows.HWND(w), nil
		}
	}
}

// cut writes a text with a zero at its end. It leaves out what does not fit, but no half of
// a character.
func cut(to []uint16, text string) {
	n := 0
	for _, r := range text {
		c := utf16.AppendRune(nil, r)
		if n+len(c) >= len(to) {
			break
		}
		n += copy(to[n:], c)
	}
	to[n] = 0
}
