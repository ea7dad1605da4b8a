package kernels_test

import (
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// Every variable has a size, and no code of the user's classes is called for it: no method, no
// metaclass, and no class that claims to be a library's.
func TestLiveSizesAskNothingOfAUsersClass(t *testing.T) {
	d := newFixture(t)
	s := d.session()
	d.run(s, `
import collections, numpy as np, pandas as pd
_asked = []
def _bad(*a, **k): _asked.append(a); raise SystemExit
class _Meta(type):
    __getattribute__ = __instancecheck__ = __subclasscheck__ = __len__ = _bad
class Hostile(metaclass=_Meta):
    __repr__ = __str__ = __len__ = __sizeof__ = __getattr__ = __getattribute__ = __hash__ = __eq__ = __bool__ = __iter__ = _bad
    __class__ = __dict__ = property(_bad)
class Items(list): __len__ = __sizeof__ = _bad
class Whole(int): __len__ = __sizeof__ = __index__ = __int__ = __format__ = _bad
class Array(np.ndarray): __len__ = shape = nbytes = property(_bad)
class Frame(pd.DataFrame): __len__ = shape = memory_usage = property(_bad)
class Claims:
    __module__ = 'numpy'
    shape = nbytes = property(_bad)
class DataFrame:
    __module__ = 'pandas.core.frame'
    shape = memory_usage = property(_bad)
class Slots: __slots__ = ('a',)
hostile, items, whole, claims, frame, slots = Hostile(), Items([1]), Whole(5), Claims(), DataFrame(), Slots()
array, table = np.zeros((2, 3)).view(Array), Frame({'x': [1, 2]})
n, none, text, gen, queue, thing = 3, None, 'すし', (i for i in 'ab'), collections.deque([1, 2]), object()
zero, one = np.array(3.0), np.float64(1)
`)
	vs, err := d.Variables(d.context(), s.ID, "")
	require.NoError(t, err)
	sizes := make(map[string]string)
	for _, v := range vs {
		sizes[v.Name] = v.Size
	}
	for name, size := range map[string]string{
		"items": "1 item", "array": "(2, 3)", "table": "2 rows × 1 cols", "text": "2 items", "queue": "2 items",
	} {
		if sizes[name] != size {
			t.Errorf("%s: %q, want %q", name, sizes[name], size)
		}
	}
	want := d.run(s, `', '.join('%s %d bytes' % (k, o.__sizeof__(globals()[k])) for k, o in
		dict(claims=object, frame=object, hostile=object, n=int, none=object, one=object, slots=object, thing=object, whole=int, zero=object).items())`).Text
	got := ""
	for i, name := range []string{"claims", "frame", "hostile", "n", "none", "one", "slots", "thing", "whole", "zero"} {
		if i > 0 {
			got += ", "
		}
		got += name + " " + sizes[name]
	}
	if "'"+got+"'" != want {
		t.Errorf("got  '%s'\nwant %s", got, want)
	}
	if size := sizes["gen"]; size == "" || len(size) > len("1000 bytes") {
		t.Errorf("a generator: %q", size)
	}
	if x := d.run(s, "_asked"); x.Text != "[]" || x.Status != catalog.StatusOK {
		t.Errorf("asked: %s", x.Text)
	}
}
