package tunnel

import (
	"errors"
	"regexp"
	"strings"
)

// A Problem is why there is no way to a server.
type Problem string

// The problems.
const (
	Connecting     Problem = "connecting"
	NoSSH          Problem = "no_ssh"
	UnknownHost    Problem = "unknown_host"
	UnknownHostKey Problem = "unknown_host_key"
	ChangedHostKey Problem = "changed_host_key"
	Denied         Problem = "denied"
	TimedOut       Problem = "timed_out"
	Refused        Problem = "refused"
	NoServer       Problem = "no_server"
	NoForwarding   Problem = "no_forwarding"
	NoShell        Problem = "no_shell"
	Lost           Problem = "lost"
	Failed         Problem = "failed"
)

// texts are the problems in words.
var texts = map[Problem]string{
	Connecting:     "Easel is connecting to {host} with ssh",
	NoSSH:          "the program ssh is not installed: install the OpenSSH client",
	UnknownHost:    "ssh finds no host {host}: check the name and the network, or add the host to ~/.ssh/config",
	UnknownHostKey: "the host key of {host} is not known: connect once in a terminal ({command}) and confirm the key",
	ChangedHostKey: "{host} has another host key than before, so it may be another machine: find out why; the command {command} says how to accept it",
	Denied:         "{host} accepts none of your ssh keys, and Easel cannot enter a password: set up a key (ssh-copy-id), or unlock it (ssh-add), until {command} asks for nothing",
	TimedOut:       "{host} does not answer: check whether it is on, and the network or VPN; Easel keeps trying",
	Refused:        "{host} accepts no ssh connections at that port: check the port, and whether sshd runs there; Easel keeps trying",
	NoServer:       "no Jupyter server of yours runs on {host}: start one there, for example with \"jupyter lab --no-browser\"; Easel then finds it",
	NoForwarding:   "{host} does not forward connections: its sshd must allow it (AllowTcpForwarding)",
	NoShell:        "{host} does not run Easel's commands in a POSIX shell: {said}",
	Lost:           "the connection to {host} was lost and is being opened again",
	Failed:         "ssh to {host} failed: {said}",
}

// An Error says why there is no way to a server, and what to do.
type Error struct {
	Problem Problem
	Host    string // as the user wrote it
	Command string // that connects in a terminal
	Said    string // the last line of ssh
}

// Error returns the problem and what to do.
func (e *Error) Error() string {
	return strings.NewReplacer("{host}", e.Host, "{command}", e.Command, "{said}", e.Said).Replace(texts[e.Problem])
}

// lasting reports whether the problem remains until the user does something on either
// machine. Frequent attempts would then look like an attack.
func (e *Error) lasting() bool {
	switch e.Problem {
	case Denied, UnknownHostKey, ChangedHostKey, NoSSH, NoForwarding, NoShell, Failed:
		return true
	default:
		return false
	}
}

// ErrClosed means that the tunnel was closed.
var ErrClosed = errors.New("the tunnel is closed")

// said are the messages of ssh, the most specific ones first.
var said = []struct {
	problem Problem
	pattern *regexp.Regexp
}{
	{ChangedHostKey, regexp.MustCompile(`REMOTE HOST IDENTIFICATION HAS CHANGED|[Hh]ost key for .* has changed`)},
	{UnknownHostKey, regexp.MustCompile(`(?m)host key is known for|^Host key verification failed`)},
	{Denied, regexp.MustCompile(`(?m)Permission denied|Too many authentication failures|No more authentication methods`)},
	{UnknownHost, regexp.MustCompile(`(?mi)^ssh: could not resolve hostname`)},
	{TimedOut, regexp.MustCompile(`(?m)^ssh: connect to .*: (Connection timed out|Operation timed out|No route to host|Network is unreachable|Host is down)|timed out during banner exchange|^Timeout, server`)},
	{Refused, regexp.MustCompile(`(?m)^ssh: connect to .*: Connection refused`)},
	{NoShell, regexp.MustCompile(`is not recognized as an internal or external command|\bdd: .*not found`)},
	{Lost, regexp.MustCompile(`(?mi)Connection (closed|reset) by|Broken pipe|Connection to .* closed by remote host|kex_exchange_identification`)},
}

// explained returns the error for what ssh said before it ended. The problem is mute if it
// said nothing.
func (a Address) explained(stderr string, mute Problem) *Error {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, s := range said {
		if s.pattern.MatchString(stderr) {
			return a.problem(s.problem, last)
		}
	}
	if last == "" {
		return a.problem(mute, "it ended without an answer")
	}
	return a.problem(Failed, last)
}

// Silent is the error of a machine that does not answer.
func (a Address) Silent() *Error { return a.problem(TimedOut, "") }

// Lost is the error of a machine to which the connection was lost.
func (a Address) Lost() *Error { return a.problem(Lost, "") }

func (a Address) problem(p Problem, said string) *Error {
	host := a.Host
	if a.User != "" {
		host = a.User + "@" + host
	}
	command := "ssh " + host
	if a.Port != "" {
		command = "ssh -p " + a.Port + " " + host
	}
	return &Error{Problem: p, Host: host, Command: command, Said: said}
}
