package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// message returns a message on iopub with the content in JSON.
func message(kind, content string) *wire.Message {
	return &wire.Message{Channel: "iopub", Header: wire.Header{MsgType: kind}, Content: json.RawMessage(content)}
}

// cells returns the outputs of n runs of cells, and the runs.
func cells(n int) (*outputs, []*queuedExecution) {
	out := newOutputs(journal{}, newLedger(), "", nil)
	var runs []*queuedExecution
	for i := range n {
		u := &queuedExecution{request: fmt.Sprint(i), x: execution.NewSent(nil, library.Execution{}, true), cell: true}
		out.ledger.track(u)
		runs = append(runs, u)
	}
	return out, runs
}

func shownBy(x *execution.Execution) string {
	var b strings.Builder
	raws, _ := x.Cell().Outputs()
	for _, raw := range raws {
		b.Write(raw)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestOutputsOfACell(t *testing.T) {
	stream := func(name, text string) *wire.Message {
		return message("stream", fmt.Sprintf(`{"name":%q,"text":%q}`, name, text))
	}
	stdout := func(text string) string {
		return fmt.Sprintf(`{"name":"stdout","output_type":"stream","text":%q}`, text) + "\n"
	}
	display := func(kind, text, id string) *wire.Message {
		return message(kind, fmt.Sprintf(`{"data":{"text/plain":%q},"metadata":{},"transient":{"display_id":%q},"execution_count":4}`, text, id))
	}
	for name, test := range map[string]struct {
		messages []*wire.Message
		want     string
	}{
		"a stream that goes on": {[]*wire.Message{stream("stdout", "a"), stream("stdout", "b\n")}, stdout("ab\n")},
		"two streams": {
			[]*wire.Message{stream("stdout", "a"), stream("stderr", "e"), stream("stdout", "b")},
			stdout("a") + `{"name":"stderr","output_type":"stream","text":"e"}` + "\n" + stdout("b"),
		},
		"a progress bar is as it was sent": {[]*wire.Message{stream("stdout", "\r1%"), stream("stdout", "\r99%"), stream("stdout", "\rdone\nx\r\n")}, stdout("\r1%\r99%\rdone\nx\r\n")},
		"cleared":                          {[]*wire.Message{stream("stdout", "a"), message("clear_output", `{"wait":false}`)}, ""},
		"cleared at the next":              {[]*wire.Message{stream("stdout", "a"), message("clear_output", `{"wait":true}`), stream("stdout", "b"), stream("stdout", "c")}, stdout("bc")},
		"cleared, and no next":             {[]*wire.Message{stream("stdout", "a"), message("clear_output", `{"wait":true}`)}, stdout("a")},
		"cleared twice":                    {[]*wire.Message{stream("stdout", "a"), message("clear_output", `{"wait":true}`), message("clear_output", `{"wait":false}`), stream("stdout", "b")}, stdout("b")},
		"an update does not end a wait": {
			[]*wire.Message{display("display_data", "1", "x"), message("clear_output", `{"wait":true}`), display("update_display_data", "2", "x")},
			`{"data":{"text/plain":"2"},"metadata":{},"output_type":"display_data"}` + "\n",
		},
		"an update of nothing": {[]*wire.Message{display("update_display_data", "2", "x")}, ""},
		"a result that is updated": {
			[]*wire.Message{display("execute_result", "1", "x"), display("update_display_data", "2", "x")},
			`{"data":{"text/plain":"2"},"execution_count":4,"metadata":{},"output_type":"execute_result"}` + "\n",
		},
		"shown twice under one id": {
			[]*wire.Message{display("display_data", "1", "x"), display("display_data", "2", "x")},
			strings.Repeat(`{"data":{"text/plain":"2"},"metadata":{},"output_type":"display_data"}`+"\n", 2),
		},
		"an error":  {[]*wire.Message{message("error", `{"ename":"E","evalue":"v","traceback":["t"]}`)}, `{"ename":"E","evalue":"v","output_type":"error","traceback":["t"]}` + "\n"},
		"no output": {[]*wire.Message{message("comm_open", `{}`), message("stream", `[]`)}, ""},
		"without metadata": {
			[]*wire.Message{message("display_data", `{"data":{"image/png":"AAAA"}}`)},
			`{"data":{"image/png":"AAAA"},"metadata":{},"output_type":"display_data"}` + "\n",
		},
	} {
		out, runs := cells(1)
		for _, m := range test.messages {
			out.keepForCell(m, runs[0], "")
		}
		if diff := cmp.Diff(test.want, shownBy(runs[0].x)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALaterCellUpdatesAnEarlierOne(t *testing.T) {
	out, runs := cells(2)
	out.keepForCell(message("display_data", `{"data":{"text/plain":"1"},"transient":{"display_id":"x"}}`), runs[0], "")
	_, before := runs[0].x.Cell().Outputs()
	out.keepForCell(message("update_display_data", `{"data":{"text/plain":"2"},"transient":{"display_id":"x"}}`), runs[1], "")
	_, after := runs[0].x.Cell().Outputs()
	if got := shownBy(runs[0].x); !strings.Contains(got, `"2"`) || before == after || !runs[0].x.Cell().Updatable() || runs[1].x.Cell().Updatable() {
		t.Errorf("got %s, version %d then %d", got, before, after)
	}
	runs[0].x.Cell().Forget()
	out.keepForCell(message("update_display_data", `{"data":{"text/plain":"3"},"transient":{"display_id":"x"}}`), runs[1], "")
	if got, _ := runs[0].x.Cell().Outputs(); got != nil {
		t.Errorf("forgotten, yet %s", got)
	}
}

func TestOutputsOfACellAreBounded(t *testing.T) {
	out, runs := cells(1)
	chunk := message("stream", `{"name":"stdout","text":"`+strings.Repeat("x", 8<<20)+`"}`)
	for range 6 {
		out.keepForCell(chunk, runs[0], "")
	}
	raws, _ := runs[0].x.Cell().Outputs()
	if len(raws) != 2 || len(raws[0]) > 32<<20+1000 || !strings.Contains(string(raws[1]), "16777216 bytes of output were left out") {
		t.Errorf("%d outputs, the first of %d bytes, the last %.200s", len(raws), len(raws[0]), raws[len(raws)-1])
	}
}

// TestAnOutputThatIsTooLargeIsTold: nothing of it arrives.
func TestAnOutputThatIsTooLargeIsTold(t *testing.T) {
	_, runs := cells(1)
	runs[0].recordLoss(jupyter.Delivery{Message: message("stream", ""), Err: jupyter.ErrMessageTooLarge})
	said := runs[0].x.Record().Truncated
	if len(said) != 1 || said[0].Stream != "output" || !strings.Contains(said[0].Reason, "dropped as a whole: the message is too large. Print less") {
		t.Errorf("it says %+v", said)
	}
}

func TestRateLimitNotices(t *testing.T) {
	if rateLimited("IOPub data rate exceeded.\nThe Jupyter server will…") == "" || rateLimited("a rate was exceeded") != "" {
		t.Error("only the server's own notice counts")
	}
}
