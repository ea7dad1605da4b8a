package brief

import "testing"

// TestTracebackInR has what IRkernel 1.3 wrote for dplyr 1.0.
func TestTracebackInR(t *testing.T) {
	const text = "Error in `filter()`:\n! Problem while computing `..1 = nope > 1`.\nTraceback:\n\n" +
		"1. mtcars %>% filter(nope > 1) %>% show_it(mean)\n2. show_it(., mean)   # at line 2-3 of file <text>\n3. filter(., nope > 1)   # at line 7 of file a.R\n" +
		"4. withCallingHandlers({\n .     mask$eval_all_filter(dots, env_filter)\n . }, error = function(e) {\n .     abort(bullets)\n . })\n" +
		"5. each({\n .     x\n . })   # at line 9 of file <text>\n6. .handleSimpleError(function (e) \n . {\n . }, \"object 'nope' not found\")\n7. h(simpleError(msg, call))\n8. abort(bullets)"
	const calls = "1. mtcars %>% filter(nope > 1) %>% show_it(mean)\n2. show_it(., mean)   # line 2-3\n3. filter(., nope > 1)   # line 7 of a.R\n5. each({   # line 9 …"
	if got := Traceback(text); got != calls {
		t.Errorf("got\n%s\nwant\n%s", got, calls)
	}
	if got, want := shownTraceback(text), "Error in `filter()`:\n! Problem while computing `..1 = nope > 1`.\n"+calls; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if other := "a text\nTraceback:\n\nof something else"; Traceback(other) != other {
		t.Error("another text was changed")
	}
}
