package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

func TestContents(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, c := range map[string]struct {
		content string
		into    any
		want    any
	}{
		"status": {`{"execution_state":"busy"}`, new(Status), &Status{ExecutionState: "busy"}},
		"how the process ended": {
			`{"execution_state":"restarting","easel_end":{"code":-9,"signal":"SIGKILL","memory":1,"total":2,"out_of_memory":true,"words":"w"}}`, new(Status),
			&Status{"restarting", &ProcessEnd{-9, "SIGKILL", 1, 2, true, "w"}},
		},
		"stream": {`{"name":"stderr","text":"\u3042\u0000"}`, new(Stream), &Stream{"stderr", "あ\x00"}},
		"display": {
			` { "data" : {"image/png":"QUJD\n", "application/json":{"a":[1,"}"]}, "text/plain":"\"\\"} , "metadata":{"image/png":{"width":5}},"transient":{"display_id":"d"}, "x":1}`, new(DisplayData),
			&DisplayData{
				Data:      map[string]json.RawMessage{"image/png": raw(`"QUJD\n"`), "application/json": raw(`{"a":[1,"}"]}`), "text/plain": raw(`"\"\\"`)},
				Metadata:  map[string]json.RawMessage{"image/png": raw(`{"width":5}`)},
				Transient: Transient{DisplayID: "d"},
			},
		},
		"display with values": {
			`{"transient":{"easel":{"v":1,"axes":[{"}":"]"}]},"display_id":"d"}}`, new(DisplayData),
			&DisplayData{Transient: Transient{DisplayID: "d", Easel: raw(`{"v":1,"axes":[{"}":"]"}]}`)}},
		},
		"display of nothing":  {`{"data":null,"transient":null}`, new(DisplayData), &DisplayData{Data: map[string]json.RawMessage{}}},
		"NaN, as Python says": {`{"data":{"application/json":NaN}}`, new(DisplayData), &DisplayData{Data: map[string]json.RawMessage{"application/json": raw("NaN")}}},
		"result": {
			`{"execution_count":3,"data":{"text/plain":"2"}}`, new(ExecuteResult),
			&ExecuteResult{DisplayData: DisplayData{Data: map[string]json.RawMessage{"text/plain": raw(`"2"`)}}, ExecutionCount: 3},
		},
		"error": {`{"ename":"E","evalue":"v","traceback":["a","b"]}`, new(ErrorContent), &ErrorContent{"E", "v", []string{"a", "b"}}},
		"reply": {
			`{"status":"ok","execution_count":null,"user_expressions":{"a":{"status":"ok","data":{"text/plain":"1"},"metadata":{}}},"payload":[{"source":"ask_exit"}]}`, new(ExecuteReply),
			&ExecuteReply{
				Status:          "ok",
				UserExpressions: map[string]ExpressionResult{"a": {Status: "ok", Data: map[string]json.RawMessage{"text/plain": raw(`"1"`)}, Metadata: map[string]json.RawMessage{}}},
				Payload:         []json.RawMessage{raw(`{"source":"ask_exit"}`)},
			},
		},
		"nothing": {``, new(ClearOutput), &ClearOutput{}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Message{Content: raw(c.content)}
			require.NoError(t, m.Decode(c.into))
			if diff := cmp.Diff(c.want, c.into); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestValuesOfADisplayAreBounded(t *testing.T) {
	for size, want := range map[int]bool{maxTransient - 2: true, maxTransient: false} {
		m := &Message{Content: json.RawMessage(`{"transient":{"easel":"` + strings.Repeat("x", size) + `","display_id":"d"}}`)}
		var d DisplayData
		if err := m.Decode(&d); err != nil || d.Transient.DisplayID != "d" || (d.Transient.Easel != nil) != want {
			t.Errorf("%d bytes: display %q, %d bytes, %v", size, d.Transient.DisplayID, len(d.Transient.Easel), err)
		}
	}
}

func TestContentThatIsMalformed(t *testing.T) {
	for _, content := range []string{`{`, `[]`, `{"data":5}`, `{"data":{"a"}}`, `{"data":{"a":}}`, `{"data":{}`, `{"data":{"a":"}}`, `{"data":{},}x`, `{"a":1 "b":2}`} {
		m := &Message{Header: Header{MsgType: "display_data"}, Content: json.RawMessage(content)}
		if err := m.Decode(new(DisplayData)); err == nil || !strings.Contains(err.Error(), "display_data") {
			t.Errorf("%s: got %v", content, err)
		}
	}
}

func TestTextAndBase64(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"abc"`: "abc", `"a\nb"`: "a\nb", `"あ"`: "あ", `["a\n","b"]`: "a\nb", `"\ud800"`: "\ufffd",
	} {
		if got, err := Text(json.RawMessage(raw)); err != nil || got != want {
			t.Errorf("text of %s: got %q, %v, want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, `5`, `"`, `"a`, `{}`} {
		if got, err := Text(json.RawMessage(raw)); err == nil {
			t.Errorf("text of %s: got %q", raw, got)
		}
	}
	for raw, want := range map[string]string{
		`""`: "", `"QUJD"`: "ABC", `"QUI="`: "AB", `"QQ"`: "A", `"QUJD\nQUJD\n"`: "ABCABC", `["QU","JD"]`: "ABC", `"\u0051UJD"`: "ABC",
	} {
		if got, err := Base64(json.RawMessage(raw)); err != nil || string(got) != want {
			t.Errorf("base64 of %s: got %q, %v, want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, `"*"`, `"QUJD`, `7`} {
		if got, err := Base64(json.RawMessage(raw)); err == nil {
			t.Errorf("base64 of %s: got %q", raw, got)
		}
	}
}

func TestSmallValuesDoNotKeepTheFrame(t *testing.T) {
	content := []byte(`{"data":{"text/plain":"small","image/png":"` + strings.Repeat("A", 10000) + `"}}`)
	var d DisplayData
	require.NoError(t, (&Message{Content: content}).Decode(&d))
	clear(content)
	if got := string(d.Data["text/plain"]); got != `"small"` {
		t.Errorf("the small value is part of the frame: %q", got)
	}
	if d.Data["image/png"][0] != 0 {
		t.Error("the large value was copied")
	}
}
