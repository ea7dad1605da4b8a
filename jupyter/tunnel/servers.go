package tunnel

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"easel/jupyter"
	"easel/jupyter/discover"
)

// A remoteServer is a Jupyter server that runs on the other machine.
type remoteServer struct {
	discover.Server
	place jupyter.Place
	port  int
}

// destination is what ssh forwards to: the server's host and port, as seen there.
func (f remoteServer) destination() string {
	return net.JoinHostPort(f.place.URL.Hostname(), strconv.Itoa(f.port))
}

// is reports whether f and o are the same start of a server.
func (f remoteServer) is(o remoteServer) bool {
	return f.File == o.File && f.PID == o.PID && f.Token == o.Token && f.URL == o.URL
}

// parseList parses the answer of list.sh. It leaves out what is not a usable runtime file.
func parseList(lines []string) []remoteServer {
	var all []remoteServer
	for i := 0; i < len(lines); {
		file, ok := strings.CutPrefix(lines[i], "file ")
		i++
		if !ok {
			continue
		}
		var text strings.Builder
		for ; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
			text.WriteString(lines[i][1:])
			text.WriteByte('\n')
		}
		s, err := discover.Parse([]byte(text.String()))
		if err != nil || slices.ContainsFunc(all, func(o remoteServer) bool { return o.PID == s.PID && o.URL == s.URL }) {
			continue
		}
		s.File = file
		u, err := url.Parse(s.URL)
		if err != nil {
			continue
		}
		port, err := strconv.Atoi(u.Port())
		if err != nil {
			continue
		}
		all = append(all, remoteServer{s, jupyter.Place{URL: u, Token: s.Token}, port})
	}
	return all
}

// choose returns the server to use: the current one as long as it runs, otherwise the newest.
// A port other than 0 is the only one that may be used. The servers in dead do not answer.
func choose(all []remoteServer, port int, current *remoteServer, dead []remoteServer) (chosen remoteServer, ok bool) {
	usable := slices.DeleteFunc(slices.Clone(all), func(f remoteServer) bool {
		return port != 0 && f.port != port || slices.ContainsFunc(dead, f.is)
	})
	if len(usable) == 0 {
		return remoteServer{}, false
	}
	if current != nil {
		for _, f := range usable {
			if f.File == current.File && f.PID == current.PID {
				return f, true
			}
		}
	}
	return usable[0], true
}

// note says which of several servers was chosen, and how to choose another.
func (a Address) note(all []remoteServer, chosen remoteServer) string {
	if len(all) < 2 || a.ServerPort != 0 {
		return ""
	}
	var others []string
	for _, f := range all {
		if f.port == chosen.port {
			continue
		}
		b := a
		b.ServerPort = f.port
		others = append(others, b.String())
	}
	if len(others) == 0 {
		return ""
	}
	return "several Jupyter servers run there, and this is the newest one, at port " + strconv.Itoa(chosen.port) +
		"; the others have the addresses " + strings.Join(others, ", ")
}
