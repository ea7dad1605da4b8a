package brief

import "testing"

// TestTracebackOfIPython7 checks that tracebacks of environments with an old IPython are as short
// as others. The text is IPython 7.34's own.
func TestTracebackOfIPython7(t *testing.T) {
	t.Parallel()
	const text = `---------------------------------------------------------------------------
JSONDecodeError                           Traceback (most recent call last)
<ipython-input-1-1169291bbb2f> in <module>
      1 try:
----> 2     load('{')
      3 except ValueError as e:

/tmp/ipykernel_12/3409.py in load(text)
      2 def load(text):
----> 3     return json.loads(text)

/usr/lib/python3.8/json/__init__.py in loads(s, cls, object_hook, **kw)
    345             parse_constant is None and object_pairs_hook is None and not kw):
--> 346         return _default_decoder.decode(s)
    347     if cls is None:

JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)

The above exception was the direct cause of the following exception:

KeyError                                  Traceback (most recent call last)
<ipython-input-1-1169291bbb2f> in <module>
      2     load('{')
      3 except ValueError as e:
----> 4     raise KeyError('k') from e

~/my work/sales/tables.py in pick(frame, name)
      8 
----> 9     return frame[name]

/home/ann/.venv/lib/python3.8/site-packages/pandas/core/frame.py in __getitem__(self, key)
   3457             if self.columns.nlevels > 1:
-> 3458                 return self._getitem_multilevel(key)

pandas/_libs/index.pyx in pandas._libs.index.IndexEngine.get_loc()

KeyError: 'k'`
	const want = `caused by JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
Cell, line 4: raise KeyError('k') from e
File ~/my work/sales/tables.py, line 9, in pick(frame, name): return frame[name]
File pandas/_libs/index.pyx, in pandas._libs.index.IndexEngine.get_loc()`
	if got := Traceback(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Traceback("nothing /data/a.py in here (or there)"); got != "nothing /data/a.py in here (or there)" {
		t.Errorf("another text is %q", got)
	}
}
