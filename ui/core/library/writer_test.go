package library

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/output"
)

// childDir names the library that a child process of TestNothingAcknowledged… writes to.
const childDir = "EASEL_LIBRARY_TEST_CHILD"

// child writes until it is killed, and prints what was acknowledged.
func child(t *testing.T, dir string) {
	l := open(t, dir, Options{})
	if d := l.Damage(); len(d) > 0 {
		fmt.Printf("damage %+v\n", d)
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() { childWork(t, l, worker, say) })
	}
	wg.Wait()
}

func childWork(t *testing.T, l *Library, worker int, say func(string, ...any)) {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			say("failed %v", err)
			t.Error(err)
		}
	}
	for i := 0; !t.Failed(); i++ {
		run := fmt.Sprintf("e%d-%d-%d", os.Getpid(), worker, i)
		session := fmt.Sprintf("s%d", worker)
		must(l.Executions.Put(ctx, Execution{ID: run, SessionID: session, Code: "code of " + run, Status: "running", CreatedAt: time.Now()}))
		say("execution %s running", run)
		must(l.Output.Append(ctx, run, output.Stdout, []byte("hello from "+run)))
		say("output %s %s", run, "hello from "+run)
		var ns []NewImage
		for k := range i%3 + 1 {
			data := picturePNG(t, rand.Int(), 2000*k)
			ns = append(ns, NewImage{SessionID: session, ExecutionID: run, Forms: []Form{{"image/png", data}, {"image/svg+xml", fmt.Appendf(nil, "<svg>%d</svg>", rand.Int())}}})
		}
		images, err := l.Images.AddAll(ctx, ns)
		must(err)
		for k, im := range images {
			say("image %s %x %d", im.ImageID, sha256.Sum256(ns[k].Forms[0].Data), im.N)
		}
		rated, err := l.Annotations.SetRating(ctx, []string{images[0].ImageID}, i%5+1)
		must(err)
		say("rating %s %d", rated[0].ImageID, rated[0].Rating)
		_, err = l.Annotations.SetTags(ctx, []string{images[0].ImageID}, []string{run}, nil)
		must(err)
		say("tag %s %s", images[0].ImageID, run)
		key := "wall/1/y/#1/" + run
		_, err = l.Annotations.Mark(ctx, []Target{{ID: images[0].ImageID}}, func(_ int, m *Marks) error { return m.Judge(key, true) })
		must(err)
		say("judged %s %s", images[0].ImageID, key)
		must(l.Executions.Put(ctx, Execution{ID: run, SessionID: session, Code: "code of " + run, Status: "ok", CreatedAt: time.Now(), EndedAt: time.Now()}))
		say("execution %s ok", run)
	}
}

func TestNothingAcknowledgedIsLostWhenKilled(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" { // we are the one to kill
		child(t, dir)
		return
	}
	dir := t.TempDir()
	deadline := time.Now().Add(8 * time.Second)
	if testing.Short() {
		deadline = time.Now().Add(2 * time.Second)
	}
	var acknowledged []string
	rounds := 0
	few := func() bool { return rounds < 3 || len(acknowledged) < 20 }
	for ; (time.Now().Before(deadline) || few() && rounds < 100) && !t.Failed(); rounds++ {
		acknowledged = append(acknowledged, killedChild(t, dir)...)
		if rounds%3 == 2 { // else the next child opens what the last one left
			checkAcknowledged(t, dir, acknowledged)
		}
	}
	// And once more with nothing but the journal.
	checkAcknowledged(t, dir, acknowledged)
	for _, f := range []string{"library.db", "library.db-wal", "library.db-shm"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	checkAcknowledged(t, dir, acknowledged)
	t.Logf("%d kills, %d acknowledgements", rounds, len(acknowledged))
	if few() {
		t.Errorf("only %d kills and %d acknowledgements: that proves nothing", rounds, len(acknowledged))
	}
}

// killedChild runs a child for a moment, kills it, and returns the lines it printed.
func killedChild(t *testing.T, dir string) (lines []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestNothingAcknowledgedIsLostWhenKilled$", "-test.v=false")
	c.Env = append(os.Environ(), childDir+"="+dir)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	r := bufio.NewReader(out)
	var kill *time.Timer
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break // what has no newline was not acknowledged
		}
		if kill == nil {
			kill = time.AfterFunc(time.Duration(rand.IntN(120_000))*time.Microsecond, func() { _ = c.Process.Kill() })
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	if err := c.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	return lines
}

// checkAcknowledged opens the library and looks for everything.
func checkAcknowledged(t *testing.T, dir string, lines []string) {
	t.Helper()
	ctx := t.Context()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	defer l.Close()
	for _, d := range l.Damage() {
		if d.Kind != DamagedDatabase { // which this test removes
			t.Errorf("damage: %+v", d)
		}
	}
	numbers := make(map[string]string)
	for _, line := range lines {
		f := strings.SplitN(line, " ", 4)
		switch f[0] {
		case "image":
			data, im, err := l.Images.Read(ctx, f[1])
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != f[2] || fmt.Sprint(im.N) != f[3] || im.Code != "code of "+im.ExecutionID {
				t.Errorf("%s: got %s, n %d, code %q", line, got, im.N, im.Code)
			}
			if other, ok := numbers[im.SessionID+f[3]]; ok {
				t.Errorf("%s has the number of %s", line, other)
			}
			numbers[im.SessionID+f[3]] = f[1]
			if svg, err := l.Images.ReadForm(ctx, im, "image/svg+xml"); err != nil || !strings.HasPrefix(string(svg), "<svg>") {
				t.Errorf("%s: SVG %q, %v", line, svg, err)
			}
		case "rating", "tag", "judged":
			im, err := l.Images.Image(ctx, f[1])
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if f[0] == "rating" && fmt.Sprint(im.Rating) != f[2] || f[0] == "tag" && fmt.Sprint(im.Tags) != "["+f[2]+"]" ||
				f[0] == "judged" && fmt.Sprint(im.Judged) != "["+f[2]+"]" {
				t.Errorf("%s: got %d, %v, %v", line, im.Rating, im.Tags, im.Judged)
			}
		case "execution":
			e, err := l.Executions.Get(ctx, f[1])
			if err != nil || f[2] == "ok" && e.Status != "ok" {
				t.Errorf("%s: got %+v, %v", line, e, err)
			}
		case "output":
			text, _, err := l.Output.Read(ctx, f[1], output.Stdout, 0, 0)
			if err != nil || string(text) != strings.Join(f[2:], " ") {
				t.Errorf("%s: got %q, %v", line, text, err)
			}
		default:
			t.Errorf("the child says: %s", line)
		}
	}
	nothingHalf(t, l)
}

// nothingHalf checks that every image that can be seen is whole, and that nothing
// else lies about.
func nothingHalf(t *testing.T, l *Library) {
	t.Helper()
	<-l.checked
	ids, err := l.Images.IDs(t.Context(), All())
	require.NoError(t, err)
	files := make(map[string]bool)
	for _, id := range ids {
		_, im, err := l.Images.Read(t.Context(), id)
		if err != nil || im.Broken {
			t.Errorf("image %s can be seen and is not whole: %v", id, err)
		}
		for _, f := range im.Forms {
			files[filepath.Base(f.Path)] = true
		}
	}
	found, err := l.s.files.listFiles(t.Context())
	require.NoError(t, err)
	if len(found) != len(files) {
		t.Errorf("%d files for images with %d", len(found), len(files))
	}
	left, err := os.ReadDir(l.s.path(tempDir))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}
