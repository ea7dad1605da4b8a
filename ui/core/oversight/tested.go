package oversight

import "strings"

// Tested is the form in which a client's model was seen to get pictures, and with which
// version; ok is false if nobody has tested a client of this name.
func Tested(client string) (mode, version string, ok bool) {
	client = strings.ToLower(client)
	for _, d := range Deliveries {
		if strings.Contains(client, d.Match) {
			return d.Mode, d.Tested, true
		}
	}
	return "", "", false
}
