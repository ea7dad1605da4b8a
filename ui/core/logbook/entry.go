package logbook

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"easel/internal/mask"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/sessionname"
)

// The kinds of entries.
const (
	RecordCall   = "call"   // of a tool or a resource
	RecordRun    = "run"    // code that no call has started, for example in JupyterLab
	RecordAnswer = "answer" // of the user, to a question
)

// formatVersion increases when a field changes its meaning. New fields may come without that.
const formatVersion = 1

// An Entry is an entry of the log. Names and values are those of REST, where it has the same; see docs/log.md.
type Entry struct {
	Version       int             `json:"version"`
	Record        string          `json:"record"`
	At            time.Time       `json:"at"`
	DurationMS    float64         `json:"duration_ms,omitempty"`
	Transport     string          `json:"transport,omitempty"` // mcp, rest, window or jupyter
	Client        string          `json:"client"`
	ClientVersion string          `json:"client_version,omitempty"`
	Assistant     string          `json:"assistant,omitempty"` // whose token it used, if it has one of its own
	Tool          string          `json:"tool,omitempty"`
	Parameters    json.RawMessage `json:"parameters,omitempty"` // without code that ran as it was sent
	Status        string          `json:"status"`               // ok, failed, lost, or the code of an error
	Detail        string          `json:"detail,omitempty"`     // of an error
	SessionID     string          `json:"session_id,omitempty"`
	Session       string          `json:"session,omitempty"` // its title
	ExecutionID   string          `json:"execution_id,omitempty"`
	Execution     *Run            `json:"execution,omitempty"`
	Received      *Delivery       `json:"received,omitempty"`
	Answer        *Answer         `json:"answer,omitempty"`
}

// A Run is what code did.
type Run struct {
	Status          string                  `json:"status"`
	Code            string                  `json:"code"`
	Edited          bool                    `json:"edited,omitempty"` // the user changed it; parameters have what was sent
	ExecutionCount  int                     `json:"execution_count,omitempty"`
	StartedAt       time.Time               `json:"started_at,omitzero"`
	ExecutionTimeMS float64                 `json:"execution_time_ms,omitempty"`
	StdoutBytes     int64                   `json:"stdout_bytes"`
	StderrBytes     int64                   `json:"stderr_bytes"`
	ResultBytes     int                     `json:"result_bytes"`
	Images          []library.LoggedImage   `json:"images"`
	Error           *catalog.ExecutionError `json:"error,omitempty"`
	KernelName      string                  `json:"kernel_name,omitempty"`
	Environment     *Environment            `json:"environment,omitempty"`
	Risks           []catalog.Risk          `json:"risks,omitempty"` // what the code may do, as far as Easel looked
}

// An Environment is what a kernel ran in.
type Environment struct {
	Name       string   `json:"name,omitempty"`
	Language   string   `json:"language,omitempty"`
	Version    string   `json:"version,omitempty"`
	Executable string   `json:"executable,omitempty"`
	Packages   []string `json:"packages,omitempty"` // names and versions of those that the code imports by name
}

// A Delivery is what the client got of a result.
type Delivery struct {
	TextBytes    int64               `json:"text_bytes"`
	LeftOutBytes int64               `json:"left_out_bytes"`
	Images       []catalog.SentImage `json:"images"`
	Masked       map[string]int      `json:"masked,omitempty"` // how often which secrets were hidden from it, by their names
	// KernelReplaced says that the kernel was restarted or died since the client's last call, which the client was told.
	KernelReplaced *catalog.KernelReplaced `json:"kernel_replaced,omitempty"`
}

// An Answer is what the user answered.
type Answer struct {
	To        string `json:"to"`              // approval or input
	About     string `json:"about,omitempty"` // of an approval: code, check, tool, kernel or project
	Client    string `json:"client,omitempty"`
	Assistant string `json:"assistant,omitempty"` // whose token asked
	Given     string `json:"given"`               // approved, approved_for_session, denied, dismissed or typed
	// AllowedKinds is where the user allowed what is in Because from then on: in the session or the project.
	AllowedKinds string         `json:"allowed_kinds,omitempty"`
	Because      []catalog.Risk `json:"because,omitempty"` // why the user was asked; absent if they want to be asked about all code
	Tool         string         `json:"tool,omitempty"`    // that the question was about, and what it would change
	Target       string         `json:"target,omitempty"`
	Where        string         `json:"where,omitempty"` // chat or terminal; empty: in the window

	Words   string `json:"words,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Value   string `json:"value,omitempty"`
	Secret  bool   `json:"secret,omitempty"` // a password: it is not here
	Code    string `json:"code,omitempty"`   // that the question was about
	Changed bool   `json:"changed,omitempty"`
}

func (w *writer) session(id string) library.Session {
	s, known := w.sessions[id]
	if !known && id != "" {
		s, _ = w.lib.Session(w.ctx, id) // the id is in the entry
		w.sessions[id] = s
	}
	return s
}

// titleOf returns the name of a session; "" if it is not known.
func titleOf(s library.Session) string {
	if s.ID == "" {
		return ""
	}
	return sessionname.Of(s.Named())
}

// call returns the entry of a call.
func (w *writer) call(c library.LoggedCall) Entry {
	e := Entry{
		Version: formatVersion, Record: RecordCall, At: c.Began.UTC(), Transport: c.Transport,
		Client: c.Name, ClientVersion: c.Version, Assistant: c.Assistant,
		Tool: c.Tool, Parameters: c.Args, Status: c.Status, Detail: c.Detail,
		SessionID: c.Session, Session: titleOf(w.session(c.Session)), ExecutionID: c.ExecutionID,
	}
	if e.Client == "" {
		e.Client = c.Client
	}
	if string(e.Parameters) == "null" {
		e.Parameters = nil
	}
	if c.Ended.IsZero() { // Easel died during this call, or it runs
		e.Status = catalog.StatusLost
		if c.Status == catalog.StatusRunning && w.o.Now.Sub(c.Began) < time.Minute {
			e.Status = catalog.StatusRunning
		}
	} else {
		e.DurationMS = milliseconds(c.Ended.Sub(c.Began))
	}
	if c.TextBytes > 0 || len(c.Sent) > 0 {
		e.Received = &Delivery{c.TextBytes, c.LeftOut, c.Sent, c.Masked, c.KernelReplaced}
		if c.Sent == nil {
			e.Received.Images = []catalog.SentImage{}
		}
	}
	if c.Run != nil {
		e.Execution = w.execution(*c.Run)
		var args struct{ Code *string }
		sent := json.Unmarshal(c.Args, &args) == nil && args.Code != nil && c.Transport != string(tool.Window)
		e.Execution.Edited = sent && !mask.SameBut(*args.Code, c.Run.Code) // parameters are stored without secrets
		if sent && !e.Execution.Edited {
			e.Parameters = without(c.Args, "code")
		}
	}
	if c.Tool == catalog.GetExecution.Spec().Name && e.ExecutionID == "" {
		var args struct {
			ID string `json:"execution_id"`
		}
		_ = json.Unmarshal(c.Args, &args) // they may be anything
		e.ExecutionID = args.ID
	}
	w.answer(&e, c)
	return e
}

// without returns an object of JSON without a member.
func without(object json.RawMessage, member string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return object
	}
	delete(all, member)
	rest, err := json.Marshal(all)
	if err != nil {
		return object
	}
	return rest
}

// answer makes the entry of a call that is the user's answer say so.
func (w *writer) answer(e *Entry, c library.LoggedCall) {
	if c.Transport != string(tool.Window) || c.Tool != command.AnswerApproval.Name() && c.Tool != command.AnswerInput.Name() {
		return
	}
	var said struct {
		Approve, Dismiss, Session, Edited, Password bool

		Client, Code, Words, Prompt, Value, Where string
		About, Tool, Target, Assistant            string
		Kinds                                     string
		Risks                                     []catalog.Risk
		Run                                       string // id of the execution
		ExecutionID                               string `json:"execution_id"` // the same, of typed answers
	}
	if json.Unmarshal(c.Args, &said) != nil {
		return
	}
	a := &Answer{
		To: "approval", About: said.About, Client: said.Client, Assistant: said.Assistant, Words: said.Words, Code: said.Code,
		AllowedKinds: said.Kinds, Where: said.Where, Because: said.Risks, Tool: said.Tool, Target: said.Target,
	}
	switch {
	case c.Tool == command.AnswerInput.Name():
		a.To, a.Given, a.Prompt, a.Value, a.Secret = "input", "typed", said.Prompt, said.Value, said.Password
	case said.Dismiss:
		a.Given = "dismissed"
	case !said.Approve:
		a.Given = "denied"
	case said.Edited:
		a.Given, a.Changed = "approved", true
	case said.Session:
		a.Given = "approved_for_session"
	default:
		a.Given = "approved"
	}
	e.Record, e.Answer, e.Parameters, e.Tool = RecordAnswer, a, nil, ""
	if e.ExecutionID == "" {
		e.ExecutionID = cmp.Or(said.Run, said.ExecutionID)
	}
	e.Execution = nil // the call that asked has it
}

// run returns the entry of code that no call has started.
func (w *writer) run(r library.LoggedRun) Entry {
	e := Entry{
		Version: formatVersion, Record: RecordRun, At: r.CreatedAt.UTC(), Transport: r.Transport,
		Client: r.Client, ClientVersion: r.ClientVersion, Status: r.Status,
		SessionID: r.SessionID, Session: titleOf(w.session(r.SessionID)), ExecutionID: r.ID, Execution: w.execution(r),
	}
	if !r.EndedAt.IsZero() {
		e.DurationMS = milliseconds(r.EndedAt.Sub(r.CreatedAt))
	}
	return e
}

func (w *writer) execution(r library.LoggedRun) *Run {
	x := &Run{
		Status: r.Status, Code: r.Code, ExecutionCount: r.Count, StartedAt: r.StartedAt.UTC(),
		StdoutBytes: r.StdoutBytes, StderrBytes: r.StderrBytes, ResultBytes: len(r.Result), Images: r.Images, Error: r.Error,
		KernelName: w.session(r.SessionID).KernelName, Environment: w.environment(r.Execution), Risks: r.Risks,
	}
	if r.StartedAt.IsZero() {
		x.StartedAt = time.Time{}
	} else if !r.EndedAt.IsZero() {
		x.ExecutionTimeMS = milliseconds(r.EndedAt.Sub(r.StartedAt))
	}
	return x
}

// environment returns what an execution ran in: as it was recorded with its plots, otherwise by its session.
func (w *writer) environment(x library.Execution) *Environment {
	if x.Environment == "" {
		if s := w.session(x.SessionID); s.Environment != "" {
			return &Environment{Name: s.Environment}
		}
		return nil
	}
	if e, known := w.environments[x.Environment]; known {
		return e
	}
	var e *Environment
	if env, err := w.lib.Environment(w.ctx, x); err == nil {
		e = &Environment{Name: env.Name, Language: env.Language, Version: env.Version, Executable: env.Executable}
		for _, p := range env.Packages {
			if p.Used {
				e.Packages = append(e.Packages, strings.TrimSpace(p.Name+" "+p.Version))
			}
		}
	}
	w.environments[x.Environment] = e
	return e
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
