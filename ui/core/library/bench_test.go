package library

import (
	"context"
	"fmt"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/output"
)

// filled is a library with n images and as many executions.
func filled(b testing.TB, n int) *Library {
	b.Helper()
	l := open(b, b.TempDir(), Options{})
	ctx := context.Background()
	code := "import matplotlib.pyplot as plt\nimport numpy as np\n" + string(make([]byte, 0))
	for i := range 20 {
		code += fmt.Sprintf("x%d = np.linspace(0, %d, 200); plt.plot(x%d, np.sin(x%d), label='気温 %d')\n", i, i, i, i, i)
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	err := l.s.write(ctx, survivesDeath, func(t *tx) error {
		for i := range n {
			e := Execution{ID: fmt.Sprintf("e%d", i), SessionID: fmt.Sprintf("s%d", i%20), Code: code + fmt.Sprint(i), Status: "ok", CreatedAt: begin.Add(time.Duration(i) * time.Second)}
			if err := t.record(record{Execution: &e}); err != nil {
				return err
			}
			r := imageRecord{
				ID: l.s.newID(begin), Session: e.SessionID, Execution: e.ID, N: i/20 + 1, Created: e.CreatedAt.UnixNano(),
				Width: 640, Height: 480, Title: fmt.Sprintf("Figure %d", i), Description: "matplotlib figure", Client: "claude-code 2.0",
				Forms: []formRecord{{"image/png", fmt.Sprintf("%064x", i), "png", 20000}},
			}
			if err := t.record(record{Image: &r}); err != nil {
				return err
			}
			if i%10 == 0 {
				rating, tags := i%6, []string{"good", fmt.Sprintf("tag%d", i%7)}
				if err := t.record(record{Annotation: &annotationRecord{ID: r.ID, Rating: &rating, Tags: &tags}}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	require.NoError(b, err)
	return l
}

func BenchmarkHotPath(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("of %d", n), func(b *testing.B) {
			l := filled(b, n)
			e := Execution{SessionID: "s1", Code: "plt.plot(range(10))\nplt.show()", Client: "claude-code", Status: "running", CreatedAt: time.Now()}
			i := 0
			b.Run("PutExecution", func(b *testing.B) {
				for b.Loop() {
					i++
					e.ID = fmt.Sprintf("x%d", i/3)
					e.Status = []string{"queued", "running", "ok"}[i%3]
					require.NoError(b, l.Executions.Put(ctx, e))
				}
			})
			text := []byte("epoch 1 loss 0.5\n")
			b.Run("AppendOutput", func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, l.Output.Append(ctx, "x1", output.Stdout, text))
				}
			})
			seed := 0
			b.Run("AddImage 20 kB", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					seed++
					data := picturePNG(b, seed, 20_000)
					b.StartTimer()
					if _, err := l.Images.Add(ctx, NewImage{SessionID: "s1", ExecutionID: "x1", Forms: []Form{{"image/png", data}}}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("AddImages 50 of 20 kB", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					var ns []NewImage
					for range 50 {
						seed++
						ns = append(ns, NewImage{SessionID: "s1", ExecutionID: "x1", Forms: []Form{{"image/png", picturePNG(b, seed, 20_000)}}})
					}
					b.StartTimer()
					if _, err := l.Images.AddAll(ctx, ns); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("SetRating", func(b *testing.B) {
				ids, err := l.Images.IDs(ctx, Query{Rating: -1, SessionID: "s1"})
				require.NoError(b, err)
				for b.Loop() {
					i++
					if _, err := l.Annotations.SetRating(ctx, ids[:1], i%6); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	ctx := context.Background()
	l := filled(b, 10_000)
	require.NoError(b, l.Executions.indexWords(ctx))
	for name, q := range map[string]Query{
		"all": All(), "session": {Rating: -1, SessionID: "s3"}, "rating": {Rating: 4}, "tag": {Rating: -1, Tags: []string{"tag3"}},
		"by name": {Rating: -1, SortBy: "name"}, "by rating": {Rating: -1, SortBy: "rating"}, "text": {Rating: -1, Text: "気温 19)"}, "title": {Rating: -1, Text: "figure 77"}, "short": {Rating: -1, Text: "温"}, "none": {Rating: -1, Text: "zebra"},
	} {
		b.Run("IDs/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Images.IDs(ctx, q); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Page/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := l.Images.Page(ctx, q, Page{Limit: 50}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Count/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := l.Images.Count(ctx, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Image", func(b *testing.B) {
		ids, err := l.Images.IDs(ctx, All())
		require.NoError(b, err)
		for b.Loop() {
			if _, err := l.Images.Image(ctx, ids[77]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSearch searches 50,000 plots.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	l := filled(b, 50_000)
	require.NoError(b, l.Executions.indexWords(ctx))
	for _, text := range []string{
		"", "figure", "zebra", "温", `"np.linspace(0, 19"`, "-zebra", "client:claude", "session:s3", "tag:tag3", "stars:>=3", "kind:plotly", "has:error",
		"on:2026-01-01 after:9:00", "client:cursor after:09:00", "session:s3 figure kind:png",
	} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := l.Images.IDs(ctx, Query{Rating: -1, Text: text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	l := filled(b, 10_000)
	dir := l.s.dir
	require.NoError(b, l.Close())
	for b.Loop() {
		l, err := Open(context.Background(), dir, Options{})
		require.NoError(b, err)
		require.NoError(b, l.Close())
	}
}
