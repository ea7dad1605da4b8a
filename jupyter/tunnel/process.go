package tunnel

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"easel/internal/system"
)

// options are the options of ssh. Nobody can answer its questions. No host key is accepted
// without the user. A connection of its own ends with the process, and so do its forwards.
var options = []string{
	"-T", "-a", "-x",
	"-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=15", "-o", "ConnectionAttempts=1",
	"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-o", "TCPKeepAlive=yes",
	"-o", "ControlMaster=no", "-o", "ControlPath=none", "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no",
	"-o", "LogLevel=INFO", "-o", "StreamLocalBindMask=0177", "-o", "StreamLocalBindUnlink=yes",
	// The user's own forwards for this host may be in use by another ssh. Whether ours works
	// is seen by using it.
	"-o", "ExitOnForwardFailure=no",
}

// A Process is a shell script that runs on another machine, in an ssh process of its own. What is
// written to it is the script's standard input. Read Output to its end, then call Wait.
type Process struct {
	Output io.Reader // its standard output

	address Address
	cmd     *exec.Cmd
	input   io.WriteCloser
	script  string // until it has been written
	stderr  *tail
}

// Start runs a script, which must be for any POSIX shell, on the machine. On Linux, the process
// ends with the thread that called Start, see [system.Tie]. The error is an [*Error] if there is
// no ssh.
func (a Address) Start(script string, options ...string) (*Process, error) {
	return a.start("ssh", script, options...)
}

func (a Address) start(program, script string, more ...string) (*Process, error) {
	program, err := exec.LookPath(program)
	if err != nil {
		return nil, a.problem(NoSSH, "")
	}
	args := append(append(append([]string(nil), options...), more...), a.arguments()...)
	// The user's shell there may be any; within single quotes, all agree. dd reads no more
	// than the script, so that the script can read what follows.
	args = append(args, fmt.Sprintf(`exec sh -c 'eval "$(dd bs=1 count=%d 2>/dev/null)"'`, len(script)))
	p := &Process{address: a, script: script, stderr: new(tail)}
	p.cmd = exec.Command(program, args...)                        //nolint:gosec,noctx // the system's ssh; Kill ends it
	p.cmd.Env = append(os.Environ(), "SSH_ASKPASS_REQUIRE=never") // the ssh to a jump host does not get our options
	p.cmd.Stderr, p.cmd.WaitDelay = p.stderr, time.Second
	system.Tie(p.cmd)
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Output, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// Write writes to the script's standard input. It waits while ssh reads nothing, which it does not
// before it has connected.
func (p *Process) Write(text []byte) (int, error) {
	if p.script != "" {
		if _, err := io.WriteString(p.input, p.script); err != nil {
			return 0, err
		}
		p.script = ""
	}
	return p.input.Write(text)
}

// CloseInput ends the script's standard input.
func (p *Process) CloseInput() error {
	if _, err := p.Write(nil); err != nil { // the script
		return err
	}
	return p.input.Close()
}

// Kill ends ssh. The script's standard input then ends, too.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // it may have ended

// Wait waits for the end, and returns why it was none that the script chose.
func (p *Process) Wait() error { return p.cmd.Wait() }

// Problem says why the process has ended or does not answer, from what ssh and the script wrote
// to standard error.
func (p *Process) Problem() *Error { return p.address.explained(p.stderr.String(), Lost) }

// tailSize is how many bytes of standard error are kept.
const tailSize = 4 << 10

// A tail keeps the end of what is written. Its zero value is ready to use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write appends p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append([]byte(nil), t.text[extra:]...)
	}
	return len(p), nil
}

// String returns the end.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "")
}
