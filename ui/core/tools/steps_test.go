package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/redraw"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
	"easel/ui/core/tools"
	"easel/ui/core/tools/chain"
)

// stepsOf says which steps a call of each tool and topic takes besides its body, which turns
// errors into codes for all of them: admit asks what the user allows, record writes what the
// user does into the log of calls, and undo keeps the change for Undo.
var stepsOf = map[string]string{
	"session_create": "admit record", "session_list": "", "session_connect": "admit record", "session_delete": "admit record",
	"session_restart": "admit record", "session_interrupt": "admit record",
	"execute_code": "admit record", "get_execution": "", "get_variables": "", "get_dataframe_info": "",
	"list_session_images": "", "get_image_resource": "", "search_history": "", "render_image": "admit record", "check_reproducibility": "admit record",

	"notebook_create": "admit record", "notebook_read": "", "notebook_add_cell": "admit record", "notebook_edit_cell": "admit record",
	"notebook_move_cell": "admit record", "notebook_delete_cell": "admit record", "notebook_run_cell": "admit record",
	"file_list": "", "file_read": "",

	"open_folder": "admit undo", "select_file": "admit undo", "set_rating": "admit undo", "set_tags": "admit undo",
	"filter_by_rating": "admit undo", "clear_rating_filter": "admit undo", "filter_by_tag": "admit undo", "clear_tag_filter": "admit undo",
	"sort_thumbnails": "admit undo", "show_image_viewer": "admit undo", "close_image_viewer": "admit undo", "navigate_image": "admit undo",
	"toggle_fullscreen": "admit undo", "toggle_properties_panel": "admit undo", "set_theme": "admit undo",
	"get_current_folder": "", "get_selected_files": "", "get_files_in_view": "", "get_prompt_info": "",

	"answer_approval": "record", "set_title": "undo", "set_note": "undo", "dispose": "undo",
	"undo": "", "redo": "", "undo_assistant": "", "open_trash": "",
	"set_region": "", "describe_region": "", "ask_question": "", "delete_question": "",
	"export_images": "", "can_print": "", "export": "",
	"redraw_image": "", "check_plots": "", "cancel_checks": "", "read_check": "", "show_cell": "", "save_as_notebook": "",
	"list_images": "", "read_image": "", "open_figure": "", "read_figure": "", "read_document": "", "get_prompt": "", "complete": "",
	"add_server": "", "remove_server": "", "prefer_server": "", "start_jupyter": "", "cancel_jupyter": "",
	"health": "", "show_window": "", "announce_questions": "", "announce_answers": "", "pin_session": "", "distrust": "", "client_ended": "",
}

// A stepsBench calls tools and topics, and sees which steps their calls take.
type stepsBench struct {
	bus   *eventbus.Bus
	store *state.Store
	plot  string // an image's id
}

func newStepsBench(t *testing.T) *stepsBench {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib := coretest.Open(t)
	b := &stepsBench{bus: eventbus.New(), store: state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown, Query: state.Query{Rating: -1}})}
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: "5ab0", KernelID: "5ab0", KernelName: "python3", CreatedAt: time.Now()}))
	var data bytes.Buffer
	require.NoError(t, png.Encode(&data, image.NewGray(image.Rect(0, 0, 4, 4))))
	im, err := lib.Images.Add(t.Context(), library.NewImage{SessionID: "5ab0", Forms: []library.Form{{MIME: "image/png", Data: data.Bytes()}}})
	require.NoError(t, err)
	b.plot = im.ImageID
	pictures := announce.NewPictures(b.bus, b.store, collection.New(lib, log), log)
	asker := announce.NewApprovals(b.bus, b.store, nil)
	k := kernels.New(kernels.Config{Library: lib, Log: log, Gate: oversight.NewGate(b.store), Asker: asker, On: announce.Kernels(b.bus, b.store, pictures)})
	c := tools.Register(tools.Deps{
		Bus: b.bus, Store: b.store, Library: lib, Pictures: pictures, Kernels: k, RootDir: t.TempDir(), Log: log,
		Approvals: asker, Connected: func() (map[string]catalog.Connection, error) { return nil, nil },
		Redrawer: &redraw.Redrawer{Kernels: k, Library: lib.Images}, Checker: reproduce.New(reproduce.Config{Library: lib, Log: log}),
		Figures: interactive.New(interactive.Config{Library: lib.Images, Session: lib.Sessions.Get}),
	})
	registerOthers(c)
	t.Cleanup(func() {
		if err := b.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := k.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// registerOthers registers bodies of the topics that the core handles.
func registerOthers(c *chain.Chain) {
	text := func(context.Context, string) (out struct{}, err error) { return out, err }
	chain.Register(c, command.AddServer, func(context.Context, command.NamedServer) (out struct{}, err error) { return out, err })
	chain.Register(c, command.RemoveServer, text)
	chain.Register(c, command.PreferServer, text)
	chain.Register(c, command.StartJupyter, func(context.Context, command.StartJupyterIn) (out struct{}, err error) { return out, err })
	chain.Register(c, command.CancelJupyter, func(context.Context, struct{}) (out struct{}, err error) { return out, err })
}

// steps calls once for the user, for an assistant, and for an assistant while the user has
// paused it. It returns the steps that this shows.
func (b *stepsBench) steps(t *testing.T, call func(ctx context.Context) error) string {
	t.Helper()
	do := call
	call = func(ctx context.Context) error {
		err := do(ctx)
		if p, ok := errors.AsType[*eventbus.PanicError](err); ok {
			t.Errorf("%v\n%s", p, p.Stack)
		}
		return err
	}
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	assistant := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "test"})
	var steps []string
	b.store.Update(func(s *state.Snapshot) { s.Paused, s.Mode = true, state.Viewer })
	if tool.AsError(call(assistant)).Code == tool.Paused {
		steps = append(steps, "admit")
	}
	ctx, stop := context.WithCancel(t.Context())
	told := catalog.Activities.WatchToTheLast(ctx, b.bus, 16)
	b.store.Update(func(s *state.Snapshot) {
		s.Paused, s.ByAssistant, s.Edited, s.Folder = false, "", command.Edit{}, state.Folder{}
		s.Mode, s.Current, s.Selection = state.Viewer, b.plot, []string{b.plot}
	})
	_ = call(user)
	stop()
	recorded := false
	for _, err := range told {
		if err != nil {
			t.Error(err)
		}
		recorded = true
	}
	if recorded {
		steps = append(steps, "record")
	}
	edited := b.store.Snapshot().Edited.Seq != 0
	_ = call(assistant)
	if edited || b.store.Snapshot().ByAssistant != "" {
		steps = append(steps, "undo")
	}
	return strings.Join(steps, " ")
}

// TestSteps compares what calls do with stepsOf. Whoever adds a tool or a topic decides here
// which steps it takes.
func TestSteps(t *testing.T) {
	b := newStepsBench(t)
	args := map[string]string{"open_folder": `{"path": "jupyter://sessions/"}`}
	seen := make(map[string]bool)
	for _, x := range catalog.All() {
		spec := x.Spec()
		seen[spec.Name] = true
		raw := json.RawMessage(spec.Example)
		if a, ok := args[spec.Name]; ok {
			raw = json.RawMessage(a)
		}
		got := b.steps(t, func(ctx context.Context) error {
			_, _, err := x.Invoke(ctx, b.bus, raw)
			return err
		})
		if want, ok := stepsOf[spec.Name]; got != want || !ok {
			t.Errorf("%s: %q, want %q", spec.Name, got, want)
		}
	}
	for name, call := range topicCalls(b) {
		seen[name] = true
		if got, want := b.steps(t, call), stepsOf[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name := range stepsOf {
		if !seen[name] {
			t.Errorf("%s was not called", name)
		}
	}
}

// topicCalls returns calls of all topics that have a body in this package, by their names.
func topicCalls(b *stepsBench) map[string]func(context.Context) error {
	calls := make(map[string]func(context.Context) error)
	text, disposals := 0, 0
	next := func() string { text++; return strings.Repeat("x", text) } // another text each time: the same is no change
	add(b, calls, command.AnswerApproval, func() (in command.ApprovalAnswer) { return in })
	add(b, calls, command.SetTitle, func() command.SetTextIn { return command.SetTextIn{ID: b.plot, Text: next()} })
	add(b, calls, command.SetNote, func() command.SetTextIn { return command.SetTextIn{ID: b.plot, Text: next()} })
	add(b, calls, command.Dispose, func() command.DisposeIn {
		disposals++
		return command.DisposeIn{Fate: []command.Fate{command.FateRestore, command.FateTrash}[disposals%2], IDs: []string{b.plot}} // what was not trashed is not restored
	})
	add(b, calls, command.Undo, func() (in command.UndoIn) { return in })
	add(b, calls, command.Redo, func() (in command.UndoIn) { return in })
	add(b, calls, command.UndoAssistant, func() (in command.UndoAssistantIn) { return in })
	add(b, calls, command.OpenTrash, func() (in struct{}) { return in })
	add(b, calls, command.SetRegion, func() command.SetRegionIn { return command.SetRegionIn{ID: b.plot} })
	add(b, calls, command.DescribeRegion, func() command.SetRegionIn { return command.SetRegionIn{ID: b.plot} })
	add(b, calls, command.AskQuestion, func() (in command.AskQuestionIn) { return in })
	add(b, calls, command.AskAboutTable, func() (in command.AskAboutTableIn) { return in })
	add(b, calls, command.TableQuestions, func() (in command.TableRef) { return in })
	add(b, calls, command.SetQuestionState, func() (in command.QuestionStateIn) { return in })
	add(b, calls, command.DeleteQuestion, func() string { return "no" })
	add(b, calls, command.ExportImages, func() (in command.ExportImagesIn) { return in })
	add(b, calls, command.DifferencesOf, func() command.DifferencesIn { return command.DifferencesIn{Before: b.plot, After: b.plot} })
	add(b, calls, command.SaveData, func() (in command.SaveDataIn) { return in })
	add(b, calls, command.CanPrint, func() (in struct{}) { return in })
	add(b, calls, command.Export, func() (in command.ExportIn) { return in })
	add(b, calls, command.RedrawImage, func() (in command.RedrawImageIn) { return in })
	add(b, calls, command.CheckPlots, func() (in command.CheckPlotsIn) { return in })
	add(b, calls, command.CancelChecks, func() (in []string) { return in })
	add(b, calls, command.ReadCheck, func() string { return "no" })
	add(b, calls, command.ShowCell, func() (in command.ShowCellIn) { return in })
	add(b, calls, command.SaveAsNotebook, func() (in command.SaveAsNotebookIn) { return in })
	add(b, calls, catalog.ListImages, func() (in catalog.ListImagesIn) { return in })
	add(b, calls, catalog.ReadImage, func() (in catalog.ReadImageIn) { return in })
	add(b, calls, command.OpenFigure, func() string { return b.plot })
	add(b, calls, catalog.ReadFigure, func() string { return "no" })
	add(b, calls, catalog.ReadDocument, func() catalog.Document { return catalog.DocState })
	add(b, calls, catalog.GetPrompt, func() catalog.GetPromptIn { return catalog.GetPromptIn{Name: "continue_from_selection"} })
	add(b, calls, catalog.Complete, func() catalog.CompleteIn { return catalog.CompleteIn{Of: catalog.OfSessions} })
	add(b, calls, catalog.Health, func() (in struct{}) { return in })
	add(b, calls, catalog.ShowWindow, func() (in catalog.ShowWindowIn) { return in })
	add(b, calls, catalog.AnnounceQuestions, func() (in struct{}) { return in })
	add(b, calls, catalog.AnnounceAnswers, func() (in struct{}) { return in })
	add(b, calls, command.PinSession, func() (in command.PinSessionIn) { return in })
	add(b, calls, command.CancelRun, func() string { return "no" })
	add(b, calls, command.AddServer, func() (in command.NamedServer) { return in })
	add(b, calls, command.RemoveServer, func() string { return "no" })
	add(b, calls, command.PreferServer, func() string { return "no" })
	add(b, calls, command.StartJupyter, func() (in command.StartJupyterIn) { return in })
	add(b, calls, command.CancelJupyter, func() (in struct{}) { return in })
	add(b, calls, command.Distrust, func() (in command.DistrustIn) { return in })
	add(b, calls, catalog.ClientEnded, func() string { return "no" })
	return calls
}

func add[In, Out any](b *stepsBench, calls map[string]func(context.Context) error, topic *eventbus.Topic[In, Out], in func() In) {
	calls[topic.Name()] = func(ctx context.Context) error {
		patience := 50 * time.Millisecond // some wait for the user
		if strings.Contains(stepsOf[topic.Name()], "undo") {
			patience = time.Minute // what changes something waits for the disk
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := topic.Ask(ctx, b.bus, in())
		return err
	}
}

// TestOnlyTheChainRegisters checks that no body is registered without its steps.
func TestOnlyTheChainRegisters(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, filepath.Join("..", "tools", "chain")) {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), ".Handle(") && !strings.Contains(string(text), "windows.Handle(") {
			t.Errorf("%s calls Handle; use chain.Register", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}
