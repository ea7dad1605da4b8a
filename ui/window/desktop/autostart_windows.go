package desktop

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/windows/registry"
)

// Keys of the current user. approvedKey is where the Task Manager turns the programs of
// runKey off.
const (
	runKey      = `Software\Microsoft\Windows\CurrentVersion\Run`
	approvedKey = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`
)

// Autostarts reports whether Windows starts the app at login.
func Autostarts(id string) bool {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if err != nil {
		return false
	}
	defer func() { _ = k.Close() }()
	if _, _, err := k.GetStringValue(id); err != nil {
		return false
	}
	approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.QUERY_VALUE)
	if err != nil {
		return true
	}
	defer func() { _ = approved.Close() }()
	flags, _, err := approved.GetBinaryValue(id)
	return err != nil || len(flags) == 0 || flags[0]&1 == 0 // odd: turned off
}

// SetAutostart turns starting a program at login on or off.
func SetAutostart(id string, on bool, exe string, args ...string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	// What the Task Manager has noted is about the former value.
	if approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.SET_VALUE); err == nil {
		_ = approved.DeleteValue(id)
		_ = approved.Close()
	}
	if !on {
		if err := k.DeleteValue(id); err != nil && !errors.Is(err, registry.ErrNotExist) {
			return err
		}
		return nil
	}
	line := []string{`"` + exe + `"`} // a path contains no quotation mark
	for _, a := range args {
		line = append(line, syscall.EscapeArg(a))
	}
	return k.SetStringValue(id, strings.Join(line, " "))
}
