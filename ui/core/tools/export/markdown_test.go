package export

import (
	"encoding/json"
	"os/exec"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// renderMarkdown prints the text and the elements of headings, as Jupyter renders them.
const renderMarkdown = `
import json, sys
from html.parser import HTMLParser
from nbconvert.filters import markdown2html
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""
    def handle_starttag(self, tag, attrs): self.tags.append(tag)
    def handle_data(self, data): self.text += data
out = []
for heading in json.loads(sys.argv[1]):
    page = Page()
    page.feed(markdown2html("## " + heading))
    out.append([page.text.replace("\u00b6", "").strip(), *sorted(set(page.tags))])
print(json.dumps(out))
`

// TestLiveATitleIsNoMarkdown: a title that code has chosen loads no picture in a notebook.
func TestLiveATitleIsNoMarkdown(t *testing.T) {
	titles := []string{
		`![x](//host/x.png)`, `[l](javascript:alert(1))`, "`code` **b** _i_ ~~s~~ a_b_c", `<img src=x onerror=alert(1)>`,
		`&lt;b&gt; \alpha`, `C# #`, `5 $ and $![x](//host/x.png)$`, `A[0]: 1 < 2`,
	}
	var headings []string
	for _, title := range titles {
		headings = append(headings, oneLine(title))
	}
	in, _ := json.Marshal(headings)
	cmd := exec.CommandContext(t.Context(), jupytertest.Python(t), "-c", renderMarkdown, string(in))
	cmd.Stderr = t.Output()
	said, err := cmd.Output()
	require.NoError(t, err)
	var got [][]string
	if err := json.Unmarshal(said, &got); err != nil || len(got) != len(titles) {
		t.Fatalf("%s %v", said, err)
	}
	for i, title := range titles {
		if want := []string{title, "a", "h2"}; !slices.Equal(got[i], want) { // a is the anchor of the heading
			t.Errorf("%q becomes %q, rendered %q", title, headings[i], got[i])
		}
	}
	for title, want := range map[string]string{"decay $x_1^{2}$ of a_b": `decay $x_1^{2}$ of a\_b`, "a\n b": "a b", "売上 <b>": "売上 &lt;b>"} {
		if got := oneLine(title); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}
