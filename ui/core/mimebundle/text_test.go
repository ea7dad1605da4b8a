package mimebundle_test

import (
	"encoding/json"
	"strings"
	"testing"

	"easel/internal/mask"
	"easel/ui/core/mimebundle"
)

func TestPlainLeavesNoColour(t *testing.T) {
	if got := mimebundle.Plain("\x1b[0;31mZero\x1b[39mDivision\x1b]8;;http://x\x1b\\link\x1b]8;;\x07"); got != "ZeroDivisionlink" {
		t.Errorf("got %q", got)
	}
}

func TestDisplayed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forms      map[string]any
		text, mime string
	}{
		"plain text": {map[string]any{"text/plain": " a\n", "text/html": "<b>a</b>", "text/latex": "a"}, " a\n", "text/plain"},
		"an address": {map[string]any{"text/plain": "<a.B object at 0x7f01>"}, "<a.B object at 0x7f01>", "text/plain"},
		"Markdown":   {map[string]any{"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "# a", "text/html": "<h1>a</h1>"}, "# a", "text/markdown"},
		"a picture in Markdown": {
			map[string]any{"text/markdown": "a ![b](data:image/png;base64,iVBORw0KGgo=) c"}, "a ![b](data:…) c", "text/markdown",
		},
		"LaTeX": {map[string]any{"text/plain": "<IPython.core.display.Math object>", "text/latex": "$x$"}, "$x$", "text/latex"},
		"JSON":  {map[string]any{"text/plain": "<IPython.core.display.JSON object>", "application/json": map[string]any{"k": []int{1}}}, `{"k":[1]}`, "application/json"},
		"a table": {
			map[string]any{"text/plain": "GT(...)", "text/html": "<style>td { color: red }</style><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table>"},
			"| a | b |\n|---|---|\n| 1 | x\\|y |", "text/markdown",
		},
		"fields with addresses": {map[string]any{"text/plain": "GT(_body=<great.Body object at 0x7f>, n=1)", "text/html": "<p>p</p>"}, "p", "text/markdown"},
		"an empty page":         {map[string]any{"text/plain": "", "text/html": "<pre style=\"a\"></pre>\n"}, "", ""},
		"a player": {
			map[string]any{"text/plain": "<IPython.lib.display.Audio object>", "text/html": "<audio controls><source src=\"data:audio/wav;base64,UklGRg==\"/></audio>"},
			"<IPython.lib.display.Audio object>", "text/plain",
		},
		"a coloured name": {
			map[string]any{"text/plain": "\x1b[1m<\x1b[0m\x1b[1;95mIPython.core.display.Markdown\x1b[0m\x1b[39m object\x1b[0m\x1b[1m>\x1b[0m", "text/markdown": "# a"},
			"# a", "text/markdown",
		},
		"a coloured value": {map[string]any{"text/plain": "\x1b[32m'a'\x1b[0m"}, "\x1b[32m'a'\x1b[0m", "text/plain"},
		"a script":         {map[string]any{"text/plain": "<IPython.core.display.Javascript object>", "application/javascript": "1"}, "", ""},
		"an arrangement":   {map[string]any{"text/plain": "HBox(children=(IntSlider(value=0),))", widgetMIME: map[string]any{"model_id": "m"}}, "", ""},
		"a control":        {map[string]any{"text/plain": "IntSlider(value=0)", widgetMIME: map[string]any{"model_id": "m"}}, "IntSlider(value=0)", "text/plain"},
	} {
		if text, mime := mimebundle.Displayed(bundle(t, c.forms)); text != c.text || mime != c.mime {
			t.Errorf("%s: got %q, %s, want %q, %s", name, text, mime, c.text, c.mime)
		}
	}
}

const widgetMIME = "application/vnd.jupyter.widget-view+json"

// Easel makes Markdown of HTML, and with it escapes, in which its own token must still be found.
func TestTokensInTablesAreMasked(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"k3Jq-9zXw_4bTn7LcVgPm2RyHs8DfUa6Ee1Io0QxZ_Y", "_0f1e*2d3c4b5a69788796_a5b4c3d2e1f00f_"} {
		m := mask.New()
		m.Set(mask.Easel, token)
		text, _ := mimebundle.Displayed(bundle(t, map[string]any{"text/html": "<table><tr><th>key</th><td>" + token + "</td></tr></table>"}))
		if !strings.Contains(text, `\_`) {
			t.Errorf("no escapes: %s", text)
		}
		result, _ := json.Marshal(text)
		nested, _ := json.Marshal(string(result))
		for _, got := range []string{m.String(text), string(m.JSON(result)), string(m.JSON(nested))} {
			if !strings.Contains(got, "| "+string(mask.Easel)+" |") {
				t.Errorf("got %s", got)
			}
		}
	}
}
