package oversight

import "strings"

// Tested returns how pictures are delivered to a client according to a test, and the tested
// version. ok is false if no client with this name was tested.
func Tested(client string) (mode, version string, ok bool) {
	client = strings.ToLower(client)
	for _, d := range Deliveries {
		if strings.Contains(client, d.Match) {
			return d.Mode, d.Tested, true
		}
	}
	return "", "", false
}
