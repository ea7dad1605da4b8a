package kernels_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// TestASessionIsNamedAfterItsWork: after the first comment until a plot has a title, unless its client or a notebook names it; the user's
// name is above all. The names survive the end of Easel and of the session.
func TestASessionIsNamedAfterItsWork(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	started := func(n kernels.NewSession) library.Session {
		n.KernelName, n.Client = "python3", "test"
		s, err := d.Create(d.context(), n)
		require.NoError(t, err)
		srv.Kernel(s.KernelID).OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				if x.Code != "1" {
					x.Display(map[string]any{"image/png": drawn(t, 3, 3, pngOf)}, "")
				}
			})
		})
		return s
	}
	kept := func(s library.Session) string {
		k, err := d.lib.Sessions.Get(d.context(), s.ID)
		require.NoError(t, err)
		return k.Named().Title
	}
	said := []string{}
	check := func(s library.Session) { said = append(said, kept(s)) }
	const comment, plot, other = "# Load the sales\nload()", "plt.title('Sales\\nby region')\nplt.show()", "plt.title('Churn')\nplt.show()"
	const panels = "fig, (a, b) = plt.subplots(2); a.set_title('East'); b.set_title('West')\nplt.show()"
	asked, titled, notebook := started(kernels.NewSession{}), started(kernels.NewSession{Title: "Churn of May"}), started(kernels.NewSession{Notebook: "a.ipynb"})
	for _, code := range []string{"1", comment, "# Later\n1", panels, plot, other} {
		d.run(asked, code)
		check(asked)
	}
	for _, s := range []library.Session{titled, notebook} {
		d.run(s, comment)
		d.run(s, plot)
		check(s)
	}
	theirs, err := d.otherClient().StartKernel(d.context(), jupyter.StartKernelRequest{Name: "python3"})
	require.NoError(t, err)
	joined, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: theirs.ID, Client: "test"})
	require.NoError(t, err)
	d.run(joined.Session, comment)
	check(joined.Session)
	want := []string{"", "Load the sales", "Load the sales", "Load the sales", "Sales by region", "Sales by region", "Churn of May", "", ""}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	require.NoError(t, d.Rename(d.context(), asked.ID, "Board meeting"))
	next := d.successor(asked)
	named := func(name string) bool {
		k, err := d.lib.Sessions.Get(t.Context(), asked.ID)
		require.NoError(t, err)
		for _, v := range next.Live() {
			if v.ID == asked.ID && v.Catalog(0).Title != name {
				return false
			}
		}
		return k.Name == name || k.Name == "" && k.Title == name
	}
	if !named("Board meeting") {
		t.Error("the user's name is lost")
	}
	if _, err := next.Delete(t.Context(), asked.ID, true); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, next.Rename(t.Context(), asked.ID, ""))
	if !named("Sales by region") {
		t.Error("an ended session does not get its own name back")
	}
	if err := next.Rename(t.Context(), "none", "x"); err == nil {
		t.Error("a session that does not exist has a name")
	}
}
