package kernels_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// sixty draws sixty different plots, each in several steps.
const sixty = `
import matplotlib.pyplot as plt
plt.close('all')
for n in range(60):
    plt.figure(figsize=(2, 1), dpi=50)
    plt.plot([0, n, 1]); plt.plot([n, 0, 1]); plt.title(f'plot {n}'); plt.axis('off')
    plt.show()
6 * 7`

// TestLiveReadingVariablesLeavesPlotsOfAForeignKernelAlone: IPython displays and closes all figures
// at the end of each request, also of one in a subshell, while the main shell draws them. A kernel
// of the user's own server has none of Easel's modules.
func TestLiveReadingVariablesLeavesPlotsOfAForeignKernelAlone(t *testing.T) {
	t.Parallel()
	d := newForeign(t)
	s := d.session()
	const modules = "__import__('sys').modules.get('easel_aside')"
	if v := d.run(s, modules); v.Text != "" || v.Status != catalog.StatusOK {
		t.Fatalf("the kernel is not a foreign one: %+v", v)
	}
	want := d.plots(t, d.run(s, sixty))

	x := d.start(s, sixty)
	reads := make(chan int, 1)
	go func() {
		n := 0
		for ended := false; !ended; n++ {
			ended = catalog.Ended(x.Record().Status)
			if vs, err := d.Variables(d.context(), s.ID, ""); err != nil || len(vs) == 0 {
				t.Errorf("variables: %v, %v", vs, err)
				break
			}
		}
		reads <- n
	}()
	v := d.wait(x)
	if n := <-reads; n < 2 { // on a busy machine, one answer may take as long as many plots
		t.Error("the variables were not read while the code drew")
	}
	got := d.plots(t, v)
	wrong := 0
	for n := range want {
		if n >= len(got) || !bytes.Equal(got[n], want[n]) {
			wrong++
		}
	}
	if wrong > 0 || len(got) != len(want) || v.Text != "42" {
		t.Errorf("%d of %d plots differ; the result is %q", wrong, len(want), v.Text)
	}
	if left := d.run(s, "vars(get_ipython().events).keys() - {'shell', 'callbacks', 'print_on_error'}").Text; left != "set()" {
		t.Errorf("this is left in the kernel: %s", left)
	}
}

// plots returns the pixels of an execution's pictures.
func (d *fixture) plots(t *testing.T, v catalog.Execution) [][]byte {
	t.Helper()
	if v.Status != catalog.StatusOK {
		t.Fatalf("got %+v", v)
	}
	var all [][]byte
	for _, im := range v.Images {
		data, _, err := d.lib.Images.Read(context.Background(), im.ImageID)
		require.NoError(t, err)
		all = append(all, fmt.Appendf(nil, "%v", decoded(t, data)))
	}
	return all
}
