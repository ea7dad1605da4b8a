package managed

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
)

// drawing draws a figure and waits for an answer before it is shown.
const drawing = `
import matplotlib.pyplot as plt, threading
asked, figures = threading.Event(), []
for n in range(3):
    plt.plot([1, 2])
    asked.clear(); began.set()
    figures.append((asked.wait(60), plt.get_fignums()))
    plt.show()
`

// TestLiveAQuestionLeavesFiguresAlone: matplotlib displays and closes all figures at the end of
// each request, also of one in a subshell, while the main shell draws them.
func TestLiveAQuestionLeavesFiguresAlone(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import threading; began = threading.Event()")
	other := follow(t, s, id)
	asked := make(chan error, 1)
	go func() { asked <- question(t.Context(), other) }()
	got := stdoutOf(t, k, drawing+"print(figures)")
	require.NoError(t, <-asked)
	if diff := cmp.Diff("[(True, [1]), (True, [1]), (True, [1])]\n", got); diff != "" {
		t.Errorf("what was answered, and the figures that were open then (-want +got):\n%s", diff)
	}
}

// question asks twice for each figure of drawing, while it is open.
func question(ctx context.Context, k *jupyter.Kernel) error {
	for range 3 {
		for _, expr := range []string{"began.wait(60)", "(began.clear(), asked.set())"} {
			_, err := k.Evaluate(ctx, jupyter.Evaluation{Subshell: true, Expressions: map[string]string{"_": expr}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
