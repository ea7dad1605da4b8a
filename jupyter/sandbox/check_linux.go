//go:build amd64 || arm64

package sandbox

import "fmt"

// Check returns the backend that starts the programs of a policy here. The error is an
// *UnavailableError if there is none.
func Check(p Policy) (Backend, error) {
	bubblewrap := "it is not asked for"
	if p.Backend != Landlock {
		if bubblewrap = worksOnce(); bubblewrap == "" {
			return Bubblewrap, nil
		}
	}
	const install = "Ask the user to install bubblewrap (package bubblewrap), or to turn the sandbox of this project off in Easel's window."
	v := version()
	switch {
	case p.Backend == Bubblewrap:
		return "", &UnavailableError{"bubblewrap does not work here: " + bubblewrap, install}
	case v < oldest:
		return "", &UnavailableError{
			fmt.Sprintf("this system has neither a working bubblewrap (%s) nor Landlock with version %d or later (%s)", bubblewrap, oldest, found(v)),
			install,
		}
	case p.Network:
		return "", &UnavailableError{
			"with the network, Landlock alone cannot keep a kernel from the sockets of other programs, and bubblewrap does not work here: " + bubblewrap,
			"Ask the user to install bubblewrap (package bubblewrap), or not to allow the network in this project's sandbox.",
		}
	}
	return Landlock, nil
}

func found(v int) string {
	if v == 0 {
		return "it is missing or turned off"
	}
	return fmt.Sprintf("it has version %d", v)
}
