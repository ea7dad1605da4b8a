package tools_test

import (
	"context"
	"fmt"
	"sync"

	"easel/mcphost/catalog"
)

// jupyter-server undoes the writing of a notebook that is read meanwhile: our own
// readers must not make it do that.
func testEditsSurviveReaders(b *bench) {
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "read.ipynb"}`)
	ctx, stop := context.WithCancel(b.context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := call[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "read.ipynb"}`); err != nil {
					b.t.Error(err)
					return
				}
			}
		})
	}
	defer readers.Wait()
	defer stop()
	const edits = 40
	for i := range edits {
		must[catalog.CellChanged](b, catalog.NotebookAddCell, fmt.Sprintf(`{"path": "read.ipynb", "cell_type": "code", "source": "%d"}`, i))
	}
	stop()
	readers.Wait()
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "read.ipynb"}`)
	if read.Total != edits {
		b.t.Fatalf("%d of %d cells are there", read.Total, edits)
	}
	for i, c := range read.Cells {
		if c.Source != fmt.Sprint(i) {
			b.t.Errorf("cell %d has %q", i, c.Source)
		}
	}
}
