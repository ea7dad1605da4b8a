package desktop

import (
	"encoding/xml"
	"slices"
	"testing"
)

func TestLaunchAgent(t *testing.T) {
	text := launchAgent("x.y.Z", "/Applications/My & Easel.app/Contents/MacOS/easel", "--hidden", "--data-dir", `/Users/a<b>"c`)
	var got struct {
		Keys    []string `xml:"dict>key"`
		Strings []string `xml:"dict>string"`
		Args    []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !slices.Equal(got.Keys, []string{"Label", "ProgramArguments", "RunAtLoad", "ProcessType"}) || got.Strings[0] != "x.y.Z" {
		t.Errorf("%+v", got)
	}
	want := []string{"/Applications/My & Easel.app/Contents/MacOS/easel", "--hidden", "--data-dir", `/Users/a<b>"c`}
	if !slices.Equal(got.Args, want) {
		t.Errorf("arguments %q", got.Args)
	}
}
