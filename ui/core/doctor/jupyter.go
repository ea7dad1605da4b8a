package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/jupyter/tunnel"
)

// safeServer is the first version of jupyter-server without known vulnerabilities that web
// pages can exploit.
var safeServer = [2]int{2, 20}

// roomForEnvironment is the disk space, in bytes, for installing a new environment.
const roomForEnvironment = uint64(1 << 30)

func checkPython(ctx context.Context, p *patient) []reportLine {
	if p.JupyterURL != "" {
		return nil // only that server's Python matters
	}
	cfg := managed.Config{DataDir: p.DataDir, Python: p.Python}
	py, refused, err := managed.FindPython(ctx, cfg)
	if errors.Is(err, managed.ErrNoPython) && managed.Downloads(ctx, cfg) {
		return []reportLine{{mind, "Python", err.Error(), "Start Easel once, with a network: uv downloads a Python."}}
	}
	if e, ok := errors.AsType[*managed.Error](err); ok {
		return []reportLine{{bad, "Python", e.Error(), e.Remedy}}
	}
	if err != nil {
		return []reportLine{{bad, "Python", err.Error(), ""}}
	}
	lines := []string{fmt.Sprintf("%v, %s", py, py.Path)}
	for _, r := range refused {
		lines = append(lines, "not taken: "+r.Path+" "+r.Reason)
	}
	return []reportLine{{good, "Python", strings.Join(lines, "\n"), ""}}
}

func checkJupyter(ctx context.Context, p *patient) []reportLine {
	if p.JupyterURL != "" {
		return []reportLine{checkExternal(ctx, p)}
	}
	x := p.environment(ctx)
	findings := checkEnvironment(ctx, p)
	if x.Python == "" {
		return findings
	}
	findings = append(findings, checkManaged(ctx, x))
	if x.Kernel != "" {
		findings = append(findings, reportLine{
			mind, "Kernel", "sessions without a project may run in another Python: " + x.Kernel,
			"Quit Easel and start it again, which writes the file. If it is missing, delete " + x.Environment + " first; Easel creates a new one.",
		})
	}
	for _, p := range x.Projects {
		f := reportLine{good, "Jupyter", "runs for the project " + p.Name + " (" + p.Root + ") at " + p.URL, ""}
		if p.Err != nil {
			f = reportLine{
				bad, "Jupyter", "runs for the project " + p.Name + " at " + p.URL + " but does not answer: " + p.Err.Error(),
				"Quit Easel and start it again. Its log: " + p.LogFile,
			}
		}
		findings = append(findings, f)
	}
	return findings
}

func checkManaged(ctx context.Context, x managed.Examination) reportLine {
	f := reportLine{good, "Jupyter", "jupyter-server " + x.Version + " is installed and loads", ""}
	switch {
	case x.URL != "" && x.RunningErr != nil:
		return reportLine{
			bad, "Jupyter", "runs at " + x.URL + " but does not answer: " + x.RunningErr.Error(),
			"Quit Easel and start it again. Its log: " + x.LogFile,
		}
	case x.URL != "":
		f.text = "jupyter-server " + x.Version + " runs at " + x.URL
	default:
		if err := x.Import(ctx); err != nil {
			return reportLine{
				bad, "Jupyter", "does not load: " + err.Error(),
				"Delete " + x.Environment + " and start Easel, which creates a new one.",
			}
		}
	}
	return judged(f, x.Version)
}

// external returns a client of the external server that Easel would use. Close it.
func external(p *patient) (*jupyter.Server, error) {
	if !tunnel.IsAddress(p.JupyterURL) {
		return jupyter.New(p.JupyterURL, p.JupyterToken)
	}
	address, err := tunnel.Parse(p.JupyterURL)
	if err != nil {
		return nil, err
	}
	return tunnel.New(tunnel.Config{Address: address}).Client(p.JupyterToken), nil
}

// checkExternal checks the external server that Easel would use.
func checkExternal(ctx context.Context, p *patient) reportLine {
	client, err := external(p)
	if err != nil {
		return reportLine{bad, "Jupyter", err.Error(), "Check --jupyter-url."}
	}
	defer client.Close() //nolint:errcheck // the report is about the server
	st, err := client.Status(ctx)
	away, tunnelled := errors.AsType[*tunnel.Error](err)
	switch {
	case tunnelled:
		reason, todo, _ := strings.Cut(away.Error(), ": ")
		return reportLine{bad, "Jupyter", client.String() + ": " + reason, todo}
	case errors.Is(err, jupyter.ErrUnauthorized):
		return reportLine{
			bad, "Jupyter", client.String() + " refuses the token",
			"Check --jupyter-token; \"jupyter server list\" shows it on that machine.",
		}
	case err != nil:
		return reportLine{bad, "Jupyter", client.String() + ": " + err.Error(), "Check whether it is running, and check --jupyter-url."}
	}
	return judged(reportLine{good, "Jupyter", "jupyter-server " + st.Version + " at " + client.String(), client.Note()}, st.Version)
}

// judged lowers the grade of a server that is too old to be safe.
func judged(f reportLine, version string) reportLine {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA == nil && errB == nil && (a < safeServer[0] || a == safeServer[0] && b < safeServer[1]) {
		f.grade = mind
		f.todo = fmt.Sprintf("Versions before %d.%d have known security holes: upgrade it.", safeServer[0], safeServer[1])
	}
	return f
}
