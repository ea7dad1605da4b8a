package rcode

import (
	"fmt"
	"regexp"
)

// missingPackage matches R's message, with the quotes of its language.
var missingPackage = regexp.MustCompile(`there is no package called [‘'"“]([\w.]+)[’'"”]`)

// Missing returns the package that an error says is missing, or "".
func Missing(message string) string {
	if m := missingPackage.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// Install returns the code that installs a package for a kernel.
func Install(pkg string) string { return fmt.Sprintf("install.packages(%q)", pkg) }
