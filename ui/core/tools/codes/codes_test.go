package codes

import (
	"fmt"
	"strings"
	"testing"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
)

func TestErrorsSayAThingOnce(t *testing.T) {
	for _, c := range codes {
		for _, err := range []error{c.is, fmt.Errorf("%w: %q", c.is, "nope"), fmt.Errorf("asking: %w: %q", c.is, "nope")} {
			e := tool.AsError(Of(err))
			if e.Code != c.code || strings.Count(e.Detail, c.is.Error()) > 1 || strings.Contains(e.Detail, ": :") || strings.Contains(e.Detail, "()") {
				t.Errorf("%v: %s", err, e.Detail)
			}
			if !strings.HasSuffix(e.Detail, ".") || strings.HasSuffix(e.Detail, "..") || strings.Contains(err.Error(), "nope") != strings.Contains(e.Detail, `"nope"`) {
				t.Errorf("%v: %s", err, e.Detail)
			}
		}
	}
	e := tool.AsError(Of(fmt.Errorf("%w: %q", kernels.ErrSessionNotFound, "nope")))
	if e.Detail != `No running session has this ID: "nope".` {
		t.Errorf("got %s", e.Detail)
	}
}

// TestAKernelOfAProjectThatEndsEarly checks that nobody is sent to Easel's own environment.
func TestAKernelOfAProjectThatEndsEarly(t *testing.T) {
	for said, hint := range map[string]string{
		"No module named ipykernel_launcher": "has no ipykernel",
		"by signal SIGSEGV":                  "`easel env list`",
	} {
		e := tool.AsError(InProject("/home/ann/sales", fmt.Errorf("%w: %s", jupyter.ErrKernelStart, said)))
		if e.Code != tool.KernelStartFailed || !strings.Contains(e.Hint, hint) || !strings.HasSuffix(e.Hint, `session_create with directory="/home/ann/sales" and name="easel" uses Easel's own Python there.`) ||
			strings.Contains(e.Hint, "Easel's own environment") || strings.Contains(e.Hint, "without name") {
			t.Errorf("got %+v", e)
		}
	}
	if err := fmt.Errorf("%w", jupyter.ErrUnreachable); InProject("/home/ann/sales", err).Error() != err.Error() {
		t.Error("another error is changed")
	}
}

// TestNamesKeepTheirCase: a model copies the host and the path out of an error.
func TestNamesKeepTheirCase(t *testing.T) {
	for text, want := range map[string]string{
		"on gpu, the disk is full":             "On gpu, the disk is full.",
		"sales/.venv does not run":             "sales/.venv does not run.",
		"ssh://gpu names no folder":            "ssh://gpu names no folder.",
		"directory is inside Easel's own data": "Directory is inside Easel's own data.",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestAnUnknownKernelNameIsExplained gives the name of a piece of work as name.
func TestAnUnknownKernelNameIsExplained(t *testing.T) {
	for _, known := range [][]string{{"ir", "python3"}, nil} {
		e := tool.AsError(Of(fmt.Errorf("starting: %w", &jupyter.NoSuchKernelSpecError{Name: "churn report", Known: known})))
		if e.Code != tool.KernelStartFailed || !strings.Contains(e.Detail, `"churn report"`) || !strings.Contains(e.Detail, "name is the name of a kernel") || !strings.Contains(e.Hint, "notebook_path") {
			t.Errorf("got %+v", e)
		}
		for _, name := range known {
			if !strings.Contains(e.Detail, fmt.Sprintf("%q", name)) {
				t.Errorf("%s is not named: %s", name, e.Detail)
			}
		}
	}
}

// TestAKernelThatEndsEarlyIsExplained checks that the model reads why, and what to do.
func TestAKernelThatEndsEarlyIsExplained(t *testing.T) {
	for said, hint := range map[string]string{
		"the kernel p ended before it answered, with exit code 1: /p/bin/python: No module named ipykernel_launcher":                      "has no ipykernel",
		"the kernel p cannot be started: [Errno 2] No such file or directory: '/p/bin/python'":                                            "moved or deleted",
		"the kernel ir ended before it answered, with exit code 1: Error in loadNamespace(x) : there is no package called ‘IRkernel’":     `renv::install("IRkernel")`,
		"the kernel p ended before it answered, with exit code 126: easel: the sandbox cannot be made: Landlock: operation not permitted": "Sandbox, in the project's menu",
		"the kernel p ended before it answered, by signal SIGSEGV":                                                                        "log of the Jupyter server",
	} {
		e := tool.AsError(Of(fmt.Errorf("%w: %s", jupyter.ErrKernelStart, said)))
		if want := "The kernel did not start: " + said + "."; e.Code != tool.KernelStartFailed || e.Detail != want || !strings.Contains(e.Hint, hint) {
			t.Errorf("got %+v, want %q and a hint with %q", e, want, hint)
		}
	}
}
