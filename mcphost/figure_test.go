package mcphost

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestTheDataOfAFigureIsReadAsTextOrRefusedWhole(t *testing.T) {
	const uri, kind = "jupyter://sessions/s1/images/f.json", "application/vnd.plotly.v1+json"
	figure := func(data string) catalog.ReadImageOut {
		return catalog.ReadImageOut{Image: catalog.Image{ResourceURI: uri, Interactive: "plotly", Path: "/data/f.json"}, MIMEType: kind, Data: []byte(data)}
	}
	got, err := figureText(uri, figure(`{"data":[1]}`))
	want := []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: `{"data":[1]}`}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = figureText(uri, figure(strings.Repeat(`"`, maxResult/2))) // each quote takes two bytes in JSON
	if e := tool.AsError(err); got != nil || e.Code != tool.PayloadTooLarge || !strings.Contains(e.Detail, "450 kB") || !strings.Contains(e.Detail, "/data/f.json") {
		t.Errorf("got %d contents, %v", len(got), err)
	}
}
