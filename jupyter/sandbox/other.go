//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
)

// Main says that there is no sandbox here.
func Main([]string) int {
	_, err := Check(Policy{})
	fmt.Fprintln(os.Stderr, "easel:", err)
	return 1
}

// Check returns an *UnavailableError: only Linux on amd64 and arm64 has a sandbox.
func Check(Policy) (Backend, error) {
	return "", &UnavailableError{
		"only Linux has a sandbox for kernels", "Ask the user to turn the sandbox of this project off in Easel's window.",
	}
}
