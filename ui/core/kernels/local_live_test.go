package kernels_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/local"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// permits is a user who answers the questions whether Easel may connect.
type permits struct {
	mu     sync.Mutex
	asked  []catalog.Session
	answer func(context.Context) error
}

func (p *permits) permit(ctx context.Context, s catalog.Session) error {
	p.mu.Lock()
	p.asked = append(p.asked, s)
	answer := p.answer
	p.mu.Unlock()
	return answer(ctx)
}

func (p *permits) reply(answer func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked, p.answer = nil, answer
}

func (p *permits) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func yes(context.Context) error { return nil }

// TestLiveAKernelThatNoServerRuns uses one kernel like that of jupyter console, beside a server
// whose kernels have connection files in the same directory.
func TestLiveAKernelThatNoServerRuns(t *testing.T) {
	var user permits
	d := newForeign(t)
	d.AskBy(user.permit)
	dir := filepath.Join(d.real.Dir, "runtime")
	p := jupytertest.StartKernel(t, dir, "kernel-4711.json")
	g := local.NewGateway(local.NewFinder([]string{dir}, nil, ""), quietLog(t))
	t.Cleanup(func() { _ = g.Close() })
	client, err := g.Client()
	require.NoError(t, err)
	d.Servers.AddLocal(client)
	served := d.session()
	kernel := onlyLocal(d, served.KernelID)
	if kernel.Process.PID != p.PID || kernel.Process.Directory != p.Dir || kernel.Owner != record.OwnerOther || kernel.Status != "unknown" {
		t.Errorf("got %+v, %+v", kernel, kernel.Process)
	}
	t.Run("is used only if the user permits it", func(t *testing.T) { permission(t, d, &user, kernel) })
	t.Run("is recorded and leaves no trace", func(t *testing.T) { records(t, d, client, kernel) })
	t.Run("is not ended", func(t *testing.T) { isNotEnded(t, d, kernel) })
	t.Run("is joined again by the next run", func(t *testing.T) { restored(t, d, client, kernel) })
	t.Run("asks again after a disconnection", func(t *testing.T) {
		if _, err := d.Delete(d.context(), kernel.SessionID, false); err != nil {
			t.Fatal(err)
		}
		user.reply(yes)
		looks := tool.WithCaller(d.context(), tool.Caller{Transport: tool.Window}) // whose clicks are permitted
		if _, err := d.DrawFigure(looks, kernel.SessionID, inspect.FigureRequest{Format: "png", Looking: true}); !errors.Is(err, kernels.ErrNotJoined) || len(d.Live()) != 1 {
			t.Errorf("looking at its plot: %v; joined: %+v", err, d.Live())
		}
		if _, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: kernel.KernelID, Client: "test"}); err != nil || user.count() != 1 {
			t.Errorf("asked %d times, %v", user.count(), err)
		}
	})
	t.Run("asks the user for input", func(t *testing.T) {
		d.input.window.Store(true)
		x := d.start(sessionOf(kernel), "input('name? ')")
		d.answered("name? ", "Ada")
		if v := d.wait(x); v.Text != "'Ada'" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("ends with its process", func(t *testing.T) {
		x := d.start(sessionOf(kernel), "import time; time.sleep(600)")
		d.until(x, func(x catalog.Execution) bool { return x.Status == catalog.StatusRunning })
		p.Kill()
		if v := d.wait(x); v.Status != catalog.StatusKernelDied {
			t.Errorf("got %+v", v)
		}
		if list, err := d.List(d.context()); err != nil || len(list) != 1 {
			t.Errorf("got %+v, %v", list, err)
		}
	})
}

// onlyLocal waits for the kernel, and checks that nothing is listed twice.
func onlyLocal(d *fixture, served string) (kernel catalog.Session) {
	d.t.Helper()
	poll(d, "the kernel", func(ctx context.Context) ([]catalog.Session, bool) { list := d.Local(ctx); return list, len(list) > 0 })
	list, err := d.List(d.context())
	if err != nil || len(list) != 2 || list[0].KernelID != served || list[1].Server != catalog.ThisMachine {
		d.t.Fatalf("got %+v, %v", list, err)
	}
	for _, h := range d.Servers.Health() {
		if h.Name == catalog.ThisMachine {
			d.t.Errorf("it counts as a server: %+v", h)
		}
	}
	return list[1]
}

func permission(t *testing.T, d *fixture, user *permits, kernel catalog.Session) {
	refused := errors.New("the user said no")
	user.reply(func(context.Context) error { return refused })
	if _, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: kernel.KernelID, Client: "test"}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if _, err := d.Variables(d.context(), kernel.SessionID, ""); !errors.Is(err, refused) || user.count() != 2 {
		t.Errorf("without session_connect: got %v, asked %d times", err, user.count())
	}
	if len(d.Live()) != 1 { // the server's
		t.Errorf("got %+v", d.Live())
	}
	byClick(t, d, user, kernel)
	// Several calls lead to one question, which outlives them.
	open := make(chan struct{})
	user.reply(func(ctx context.Context) error {
		select {
		case <-open:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 3 {
		if _, err := d.Connect(gone, kernels.RunningKernel{Server: catalog.ThisMachine, KernelID: kernel.KernelID, Client: "test"}); err == nil {
			t.Error("connected without an answer")
		}
	}
	asked := tool.WithCaller(d.context(), tool.Caller{Name: "test"})
	var waits sync.WaitGroup
	for range 3 {
		waits.Go(func() {
			if _, err := d.Connect(asked, kernels.RunningKernel{KernelID: kernel.KernelID, Client: "test"}); err != nil {
				t.Error(err)
			}
		})
	}
	poll(d, "the question", func(context.Context) (int, bool) { return user.count(), user.count() > 0 })
	close(open)
	waits.Wait()
	if user.count() != 1 {
		t.Errorf("asked %d times", user.count())
	}
	if len(d.Local(d.context())) != 0 {
		t.Error("a joined kernel is offered")
	}
}

const showsPicture = "from IPython.display import display\n" +
	"display({'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='}, raw=True)"

// byClick lets the user connect in the window while an assistant's question is open.
func byClick(t *testing.T, d *fixture, user *permits, kernel catalog.Session) {
	user.reply(func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	waiting := make(chan error, 1)
	go func() {
		_, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: kernel.KernelID, Client: "test"})
		waiting <- err
	}()
	poll(d, "the question", func(context.Context) (int, bool) { return user.count(), user.count() > 0 })
	click := tool.WithCaller(d.context(), tool.Caller{Transport: tool.Window})
	if _, err := d.Connect(click, kernels.RunningKernel{KernelID: kernel.KernelID}); err != nil {
		t.Errorf("the user's click: %v", err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("the call that waited: %v", err)
	}
	if _, err := d.Delete(d.context(), kernel.SessionID, false); err != nil {
		t.Error(err)
	}
}

// records runs code as the kernel's own program does, and through Easel.
func records(t *testing.T, d *fixture, client *jupyter.Server, kernel catalog.Session) {
	theirs, err := client.Follow(d.context(), kernel.KernelID, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer theirs.Close()
	if _, err := theirs.Execute(d.context(), jupyter.ExecuteRequest{Code: "x = 6 * 7\n" + showsPicture}); err != nil {
		t.Fatal(err)
	}
	poll(d, "the user's plot", func(context.Context) (int, bool) {
		n := len(d.images())
		return n, n == 1
	})
	vars, err := d.Variables(d.context(), kernel.SessionID, "")
	if err != nil || !slices.ContainsFunc(vars, func(v catalog.Variable) bool { return v.Name == "x" }) {
		t.Errorf("got %+v, %v", vars, err)
	}
	x := d.run(sessionOf(kernel), "print(len(In), x)")
	if strings.TrimSpace(x.Stdout) != "3 42" || x.ExecutionCount != 2 { // In[0], the user's, this one
		t.Errorf("got %+v", x)
	}
}

func isNotEnded(t *testing.T, d *fixture, kernel catalog.Session) {
	if _, err := d.Delete(d.context(), kernel.SessionID, true); !errors.Is(err, servers.ErrNoServer) {
		t.Errorf("delete: %v", err)
	}
	if _, err := d.Restart(d.context(), kernel.SessionID, true); !errors.Is(err, servers.ErrNoServer) {
		t.Errorf("restart: %v", err)
	}
	if _, err := d.Create(d.context(), kernels.NewSession{Server: catalog.ThisMachine, KernelName: "python3", Client: "test"}); !errors.Is(err, servers.ErrNoServer) {
		t.Errorf("create: %v", err)
	}
	if d.Servers.Prefer(catalog.ThisMachine) {
		t.Error("it is the default")
	}
	if x := d.run(sessionOf(kernel), "x"); x.Text != "42" {
		t.Errorf("got %+v", x)
	}
}

func sessionOf(kernel catalog.Session) library.Session {
	return library.Session{ID: kernel.SessionID, KernelID: kernel.KernelID}
}

// restored lets a second manager use the library, as after a crash of Easel.
func restored(t *testing.T, d *fixture, client *jupyter.Server, kernel catalog.Session) {
	next := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state)}) // it gives no permission
	defer func() {
		if err := next.Close(d.context()); err != nil {
			t.Error(err)
		}
	}()
	next.Servers.AddLocal(client)
	require.NoError(t, next.Restore(d.context(), catalog.ThisMachine))
	if live := next.Live(); len(live) != 1 || live[0].KernelID != kernel.KernelID || live[0].Program != kernel.Process.Program {
		t.Errorf("got %+v", live)
	}
}
