package launch

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/windows"
)

// startDetached starts cmd without a console and, if that is allowed, outside the job of
// this process: some clients end the jobs of the programs that they have started.
func startDetached(cmd *exec.Cmd) error {
	const flags = windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: flags | windows.CREATE_BREAKAWAY_FROM_JOB}
	err := cmd.Start()
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		again := &exec.Cmd{
			Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Stderr: cmd.Stderr,
			SysProcAttr: &windows.SysProcAttr{CreationFlags: flags},
		}
		if err = again.Start(); err == nil {
			*cmd = *again
		}
	}
	return err
}
