// Command plenty makes much to look at, for the bench: a library with many plots, or a folder with
// many pictures.
//
//	go run ./e2e/plenty library DIR 50000
//	go run ./e2e/plenty pictures DIR 118000
//
// Each plot has code, a title and a file of its own. The files are a few pictures, which differ in a
// comment, so that making them takes a minute, and reading one takes as long as reading a real one.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/library/disk"
)

const (
	sessions = 40
	batch    = 250 // plots that are added in one transaction
	kinds    = 24  // different pictures
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: plenty library|pictures DIR COUNT")
	}
	n, err := strconv.Atoi(os.Args[3])
	if err == nil && os.Args[1] == "library" {
		err = fill(context.Background(), os.Args[2], n)
	} else if err == nil {
		err = pictures(os.Args[2], n)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// fast does not wait for the disk.
type fast struct{ disk.Real }

// Sync implements disk.Disk.
func (fast) Sync(*os.File) error { return nil }

// SyncDir implements disk.Disk.
func (fast) SyncDir(string) error { return nil }

// fill adds n plots to the library in a directory, drawn in the last four weeks.
func fill(ctx context.Context, dir string, n int) error {
	lib, err := library.Open(ctx, dir, library.Options{Disk: fast{}})
	if err != nil {
		return err
	}
	plots := make([][]byte, kinds)
	for i := range plots {
		var b bytes.Buffer
		if err := png.Encode(&b, plot(i, 640, 480)); err != nil {
			return err
		}
		plots[i] = b.Bytes()
	}
	begin := time.Now().Add(-28 * 24 * time.Hour)
	step := 28 * 24 * time.Hour / time.Duration(n+1)
	for i := range sessions {
		s := library.Session{
			ID: session(i), KernelID: session(i), KernelName: "python3", Title: subjects[i%len(subjects)] + " " + strconv.Itoa(i),
			Client: client(i), Owner: "easel", CreatedAt: begin, EndedAt: begin.Add(time.Hour), Colour: i,
		}
		if err := lib.Sessions.Put(ctx, s); err != nil {
			return err
		}
	}
	for from := 0; from < n; from += batch {
		var added []library.NewImage
		for i := from; i < min(from+batch, n); i++ {
			at := begin.Add(time.Duration(i) * step)
			e := library.Execution{
				ID: fmt.Sprintf("plenty-%d", i), SessionID: owner(i, n), Code: code(i), Client: client(i), Status: status(i),
				CreatedAt: at, EndedAt: at.Add(time.Second),
			}
			if err := lib.Executions.Put(ctx, e); err != nil {
				return err
			}
			added = append(added, library.NewImage{
				SessionID: e.SessionID, ExecutionID: e.ID, Code: e.Code, Client: client(i), Title: title(i), CreatedAt: at,
				Forms: []library.Form{{MIME: "image/png", Data: noted(plots[i*7%kinds], i)}},
			})
		}
		images, err := lib.Images.AddAll(ctx, added)
		if err != nil {
			return err
		}
		if err := mark(ctx, lib, images); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\r%d plots", from+len(added))
	}
	return lib.Close() // when it is open again, it indexes the code
}

// mark gives stars and tags to a tenth of the plots.
func mark(ctx context.Context, lib *library.Library, images []library.Image) error {
	var targets []library.Target
	for i, im := range images {
		if i%10 == 0 {
			targets = append(targets, library.Target{ID: im.ImageID})
		}
	}
	_, err := lib.Annotations.Mark(ctx, targets, func(i int, m *library.Marks) error {
		if err := m.SetRating(1 + i%5); err != nil {
			return err
		}
		return m.SetTags([]string{fmt.Sprintf("tag%d", i%7)}, nil)
	})
	return err
}

var subjects = []string{
	"Revenue by region", "Churn", "Station temperature", "Loss curve", "気温の推移", "Residuals", "Latency by host", "Survival",
}

func session(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0x5ab00000+i) }

// owner returns the session of the i-th plot: sessions follow each other.
func owner(i, n int) string { return session(i * sessions / n) }

func client(i int) string { return []string{"claude-code 2.1.0", "cursor 1.9", "codex 0.60"}[i%3] }

func title(i int) string { return fmt.Sprintf("%s, run %d", subjects[i%len(subjects)], i) }

func status(i int) string {
	if i%50 == 49 {
		return "error"
	}
	return "ok"
}

func code(i int) string {
	var c strings.Builder
	c.WriteString("import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\n")
	for l := range 12 {
		fmt.Fprintf(&c, "x%d = np.linspace(0, %d, 200); plt.plot(x%d, np.sin(x%d + %d), label='%s %d')\n",
			l, l, l, l, i%97, subjects[(i+l)%len(subjects)], l)
	}
	fmt.Fprintf(&c, "plt.title('%s')\nplt.savefig('figure_%d.png')\nplt.show()\n", title(i), i)
	return c.String()
}

// plot draws axes and curves.
func plot(kind, w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = 0xff
	}
	for curve := range 1 + kind%4 {
		ink := color.RGBA{uint8(40 * (kind % 6)), uint8(70 * curve), uint8(220 - 30*curve), 0xff}
		for x := w / 8; x < w*9/10; x++ {
			y := h/2 + int(float64(h)*0.3*math.Sin(float64(x)/float64(20+5*kind)+float64(curve))*math.Cos(float64(x*curve)/90))
			for d := range 3 {
				m.SetRGBA(x, y+d, ink)
			}
		}
	}
	if kind%3 == 0 { // an image or a heatmap
		for y := h / 4; y < h*3/4; y++ {
			for x := w / 4; x < w*3/4; x++ {
				m.SetRGBA(x, y, color.RGBA{uint8(x * kind), uint8(y * 3), uint8(x ^ y), 0xff})
			}
		}
	}
	for x := w / 8; x < w*9/10; x++ {
		m.SetRGBA(x, h*9/10, color.RGBA{A: 0xff})
	}
	return m
}

// noted returns a PNG with a comment that no other one has.
func noted(file []byte, i int) []byte {
	const head = 8 + 25 // the signature and the first chunk
	text := fmt.Appendf([]byte("tEXt"), "Comment\x00plot %d", i)
	out := append([]byte{}, file[:head]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(text)-4))
	out = append(out, text...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(text))
	return append(out, file[head:]...)
}

// pictures writes n photos into a directory.
func pictures(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	photos := make([][]byte, kinds)
	for i := range photos {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, plot(3*i, 640, 480), &jpeg.Options{Quality: 60}); err != nil {
			return err
		}
		photos[i] = b.Bytes()
	}
	for i := range n {
		file := photos[i%kinds]
		name := fmt.Sprintf("%012d.jpg", i)
		text := fmt.Sprintf("picture %d", i)
		out := append([]byte{0xff, 0xd8, 0xff, 0xfe, 0, byte(len(text) + 2)}, text...) // a comment
		if err := os.WriteFile(filepath.Join(dir, name), append(out, file[2:]...), 0o600); err != nil {
			return err
		}
	}
	return nil
}
