package pool

import "testing"

func TestWhereTheKernelOfACheckWorks(t *testing.T) {
	for _, x := range []struct{ root, dir, want string }{
		{"/home/ann/sales", "/home/ann/sales", ""},
		{"/home/ann/sales", "/home/ann/sales/data/2026", "data/2026"},
		{"/home/ann/sales", "/home/ann/sales-2/data", ""},
		{"/", "/data", "data"},
		{"", "", ""},
		{"/home/ann/sales", "", ""},
	} {
		if got := within(x.root, x.dir); got != x.want {
			t.Errorf("within(%q, %q) = %q, want %q", x.root, x.dir, got, x.want)
		}
	}
}
