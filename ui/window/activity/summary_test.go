package activity

import (
	"encoding/json"
	"testing"
)

func TestACallIsSummedUpByWhatMattersMost(t *testing.T) {
	for args, want := range map[string]string{
		`{"name":"python3","directory":"ssh://gpu/home/ann/sales"}`: "directory=ssh://gpu/home/ann/sales  name=python3",
		`{"code":"x = 1","session_id":"a"}`:                         "x = 1",
		`{}`:                                                        "",
	} {
		if got := summary(json.RawMessage(args)); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}
