package mimebundle_test

import (
	"testing"

	"easel/ui/core/mimebundle"
)

func TestPlayersAreNotDrawn(t *testing.T) {
	t.Parallel()
	for page, drawn := range map[string]bool{
		"\n<audio  controls=\"controls\" >\n<source src=\"data:audio/wav;base64,UklGRg==\" type=\"audio/wav\" />\nYour browser does not support the audio element.\n</audio>\n": false,
		"<video controls  width=\"320\" >\n <source src=\"data:video/mp4;base64,AAAA\" type=\"video/mp4\">\n Your browser does not support the video tag.\n </video>":           false,
		`<iframe width="400" height="300" src="https://www.youtube.com/embed/abc?start=3" frameborder="0" allowfullscreen></iframe>`:                                            false,
		`<iframe src="https://player.vimeo.com/video/1"></iframe>`:         false,
		`<div><p><video src="a.mp4"></video></p><br/></div>`:               false,
		`<iframe src="https://evil.example/youtube.com"></iframe>`:         true,
		`<iframe srcdoc="<canvas></canvas>"></iframe>`:                     true,
		`<div><video src="a.mp4"></video><svg></svg></div>`:                true,
		`<div><audio src="a.wav"></audio><canvas></canvas></div>`:          true,
		`<video src="a.mp4"></video><script>draw()</script>`:               true,
		`<figure><video src="a.mp4"></video>Waves at <b>2 Hz</b></figure>`: true,
	} {
		shown := bundle(t, map[string]any{"text/html": page, "text/plain": "<IPython.lib.display.Audio object>"})
		if got := len(mimebundle.Read(shown, nil).Forms) > 0; got != drawn {
			t.Errorf("drawn: %v, want %v: %s", got, drawn, page)
		}
	}
}

// TestBlankPagesAreNotDrawn checks what rich and Bokeh display before something else is shown.
func TestBlankPagesAreNotDrawn(t *testing.T) {
	t.Parallel()
	for page, drawn := range map[string]bool{
		"<pre style=\"white-space:pre;font-family:Menlo,'DejaVu Sans Mono',monospace\"></pre>\n": false,
		"<style>p { color: red }</style><div><span>\n</span></div>":                              false,
		"<div><pre>text</pre></div>":                      true,
		`<pre></pre><svg viewBox="0 0 1 1"></svg>`:        true,
		`<div><img src="https://a.example/b.png"/></div>`: true,
	} {
		for _, plain := range []string{"", "\x1b[1m<\x1b[0m\x1b[1;95mIPython.core.display.HTML\x1b[0m\x1b[39m object\x1b[0m\x1b[1m>\x1b[0m"} {
			shown := bundle(t, map[string]any{"text/html": page, "text/plain": plain})
			if got := len(mimebundle.Read(shown, nil).Forms) > 0; got != drawn {
				t.Errorf("drawn: %v, want %v: %s %q", got, drawn, page, plain)
			}
		}
	}
}
