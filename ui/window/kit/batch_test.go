package kit

import (
	"slices"
	"testing"
)

func TestWhatCameInMeanwhileIsDoneTogether(t *testing.T) {
	var posted []func()
	do, run := Batch(func(f func()) { posted = append(posted, f) })
	var did []int
	for i := range 3 {
		do(func() {
			did = append(did, i)
			if i == 0 {
				do(func() { did = append(did, 9) }) // this comes after the frame
			}
		})
	}
	if len(posted) != 1 || len(did) != 0 {
		t.Fatalf("%d functions posted, %v done", len(posted), did)
	}
	run()
	if want := []int{0, 1, 2}; !slices.Equal(did, want) || len(posted) != 2 {
		t.Fatalf("done %v, want %v; %d posted", did, want, len(posted))
	}
	posted[0]() // it finds only the new function waiting
	posted[1]()
	if want := []int{0, 1, 2, 9}; !slices.Equal(did, want) {
		t.Errorf("done %v, want %v", did, want)
	}
}
