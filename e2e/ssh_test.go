package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// A remote is an Easel whose Jupyter server runs on another machine, which it reaches with ssh.
type remote struct {
	*easel
	there *jupytertest.Real
	sshd  *jupytertest.SSHD
}

// server returns the state of the Jupyter server, according to /api/health.
func (r *remote) server(t *testing.T) map[string]any {
	t.Helper()
	_, raw := do(t, r.request(t, http.MethodGet, "/api/health", nil))
	var out struct {
		Servers []map[string]any `json:"servers"`
	}
	require.NoError(t, json.Unmarshal(raw, &out))
	for _, s := range out.Servers {
		if s["name"] == "jupyter" {
			return s
		}
	}
	t.Fatalf("the server is missing: %s", raw)
	return nil
}

// ssh returns the ids of Easel's ssh processes.
func (r *remote) ssh(t *testing.T) []string {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), "pgrep", "-P", strconv.Itoa(r.Process.Pid), "-x", "ssh").Output() // fails if there is none
	return strings.Fields(string(out))
}

// connections returns how many clients the server there sees at its kernels.
func (r *remote) connections(t *testing.T) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.there.URL+"/api/kernels", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "token "+r.there.Token)
	_, raw := do(t, req)
	var kernels []struct {
		Connections int `json:"connections"`
	}
	require.NoError(t, json.Unmarshal(raw, &kernels))
	n := 0
	for _, k := range kernels {
		n += k.Connections
	}
	return n
}

// begin runs code and returns its execution when it has printed something.
func (r *remote) begin(t *testing.T, session any, code string) map[string]any {
	t.Helper()
	x := r.call(t, "execute_code", map[string]any{"session_id": session, "code": code, "wait": 0})
	eventually(t, "the first output", func() bool {
		x = r.call(t, "get_execution", map[string]any{"execution_id": x["execution_id"]})
		return x["stdout"] != ""
	})
	return x
}

// TestAnotherMachine checks Easel with a Jupyter server that it reaches with ssh.
func TestAnotherMachine(t *testing.T) {
	r := &remote{there: jupytertest.Start(t)}
	r.sshd = jupytertest.StartSSHD(t, r.there.Dir)
	t.Setenv("PATH", filepath.Dir(r.sshd.SSH)+":"+os.Getenv("PATH"))
	base := t.TempDir()
	address := "ssh://" + jupytertest.SSHHost
	tokens := []string{r.there.Token}
	top := t // Easel outlives a subtest
	begin := func() {
		top.Helper()
		r.easel = launch(top, options{base: base, jupyter: &jupyter{url: address}})
	}
	begin()
	session := r.call(t, "session_create", nil)["session_id"]
	execute := func(t *testing.T, code string) map[string]any {
		t.Helper()
		return r.call(t, "execute_code", map[string]any{"session_id": session, "code": code})
	}
	t.Run("code and plots", func(t *testing.T) {
		x := execute(t, "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()\nkept = 42\nkept")
		if images, _ := x["images"].([]any); x["status"] != "ok" || x["result"] != "42" || len(images) != 1 {
			t.Errorf("got %v", x)
		}
		if s := r.server(t); s["state"] != "ready" || s["url"] != address {
			t.Errorf("the server is %v", s)
		}
	})
	t.Run("doctor", func(t *testing.T) {
		o := options{base: base, jupyter: &jupyter{url: address}}
		o.fill(t)
		p := start(t, o.env(t), binary(t), "doctor", "--headless")
		p.end(t)
		if out := p.out.String(); !strings.Contains(out, " at "+address) {
			t.Errorf("it says\n%s", out)
		}
	})
	t.Run("interrupt", func(t *testing.T) {
		x := r.begin(t, session, "import time\nprint('begun', flush=True)\ntime.sleep(1000)")
		r.call(t, "session_interrupt", map[string]any{"session_id": session})
		if x = r.ended(t, x); x["status"] != "interrupted" {
			t.Errorf("got %v", x)
		}
	})
	t.Run("nothing is lost while sshd is away", func(t *testing.T) {
		gate, done := filepath.Join(base, "gate"), filepath.Join(base, "done")
		x := r.begin(t, session, "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('"+gate+"'): time.sleep(0.01)\n"+
			"for i in range(1000): print(i)\nplt.plot([1, 2])\nplt.show()\nopen('"+done+"', 'w').close()")
		r.sshd.Stop()
		eventually(t, "the end of the connection there", func() bool { return r.connections(t) == 0 })
		require.NoError(t, os.WriteFile(gate, nil, 0o600))
		eventually(t, "the end of the code", func() bool { _, err := os.Stat(done); return err == nil })
		eventually(t, "the reason", func() bool { return r.server(t)["reason"] == "refused" })
		answered, raw := do(t, r.request(t, http.MethodPost, "/tools/session_create/execute", map[string]any{}))
		if answered.StatusCode != http.StatusBadGateway || !strings.Contains(string(raw), "sshd") {
			t.Errorf("a call: %s %s", answered.Status, raw)
		}
		r.sshd.Up()
		x = r.ended(t, x)
		out, _ := x["stdout"].(string)
		if images, _ := x["images"].([]any); x["status"] != "ok" || len(images) != 1 || !strings.HasPrefix(out, "begun\n0\n1\n") || strings.Count(out, "\n") != 1001 {
			t.Errorf("got %v", x)
		}
	})
	t.Run("ssh is killed while code prints", func(t *testing.T) {
		x := r.begin(t, session, "for i in range(300):\n    print(i, flush=True)\n    time.sleep(0.005)")
		for _, pid := range r.ssh(t) {
			n, _ := strconv.Atoi(pid)
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
		x = r.ended(t, x)
		out, _ := x["stdout"].(string)
		if x["status"] != "ok" || !strings.HasSuffix(out, "298\n299\n") {
			t.Errorf("got %v", x)
		}
		t.Logf("%d of 300 lines arrived; truncated: %v", strings.Count(out, "\n"), x["truncated"])
		// What was on its way when ssh died is lost. Easel must then say so.
		if lines := strings.Count(out, "\n"); lines != 300 && x["truncated"] == nil {
			t.Errorf("%d lines are missing, and nothing says so: %v", 300-lines, x)
		}
	})
	t.Run("Easel is killed", func(t *testing.T) {
		ssh := r.ssh(t)
		if len(ssh) != 1 {
			t.Fatalf("the processes of ssh are %q", ssh)
		}
		arguments, err := os.ReadFile(filepath.Join("/proc", ssh[0], "cmdline"))
		if err != nil || strings.Contains(string(arguments), r.there.Token) {
			t.Errorf("its arguments are %q, %v", arguments, err)
		}
		_ = r.Process.Kill()
		<-r.exited
		eventually(t, "the end of ssh", func() bool {
			_, err := os.Stat(filepath.Join("/proc", ssh[0]))
			return err != nil
		})
		begin()
		if x := execute(t, "kept"); x["result"] != "42" {
			t.Errorf("got %v", x)
		}
	})
	t.Run("the server is started again at another port", func(t *testing.T) {
		r.there.Kill()
		r.there.Move()
		tokens = append(tokens, r.there.Token)
		session = nil
		eventually(t, "a session", func() bool {
			answered, raw := do(t, r.request(t, http.MethodPost, "/tools/session_create/execute", map[string]any{}))
			if answered.StatusCode == http.StatusOK {
				session = decode(t, raw)["session_id"]
			}
			return session != nil
		})
		if x := execute(t, "1 + 1"); x["result"] != "2" {
			t.Errorf("got %v", x)
		}
		r.call(t, "session_delete", map[string]any{"session_id": session})
	})
	quit(t, r.easel)
	log, err := os.ReadFile(filepath.Join(r.data, "logs", "easel.log"))
	if err != nil || !strings.Contains(string(log), address) {
		t.Errorf("the log: %v", err)
	}
	for _, token := range tokens {
		if strings.Contains(string(log), token) || strings.Contains(r.out.String(), token) {
			t.Error("the log has a token")
		}
	}
}
