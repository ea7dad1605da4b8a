package brief

import (
	"slices"
	"time"

	"easel/mcphost/catalog"
)

// Clients rely on each field of the contract that is always
// there, here and in SessionConnectOut.
func sessionCreateOut(o catalog.SessionCreateOut) any {
	return struct {
		catalog.Result
		catalog.SessionNews
		SessionID    string                `json:"session_id"`
		KernelID     string                `json:"kernel_id"`
		Status       string                `json:"status"`
		CreatedAt    *time.Time            `json:"created_at"`
		KernelName   string                `json:"kernel_name"`
		NotebookPath string                `json:"notebook_path,omitempty"`
		Server       string                `json:"server,omitempty"`
		Directory    string                `json:"directory,omitempty"`
		Environment  string                `json:"environment,omitempty"`
		NewNotebook  bool                  `json:"notebook_created,omitempty"`
		Hint         string                `json:"hint,omitempty"`
		IdleSessions []catalog.IdleSession `json:"idle_sessions,omitempty"`
	}{
		o.Result, o.SessionNews, o.SessionID, o.KernelID, o.Status, atSecond(o.CreatedAt), o.KernelName, o.NotebookPath,
		serverOf(o.AtServer), o.Directory, o.Environment, o.NewNotebook, o.Hint, o.IdleSessions,
	}
}

// runningCode is what runs in a session.
type runningCode struct {
	ExecutionID string     `json:"execution_id,omitempty"`
	Since       *time.Time `json:"since,omitempty"`
	Seconds     int        `json:"seconds,omitempty"`
	Client      string     `json:"client,omitempty"`
	Code        string     `json:"code,omitempty"`
}

func sessionListOut(o catalog.SessionListOut) any {
	type brief struct {
		SessionID    string       `json:"session_id"`
		Title        string       `json:"title,omitempty"`
		KernelName   string       `json:"kernel_name"`
		Status       string       `json:"status"`
		NotebookPath string       `json:"notebook_path,omitempty"`
		Server       string       `json:"server,omitempty"`
		Owner        string       `json:"owner"`
		Generation   int          `json:"generation,omitempty"`
		Images       int          `json:"images,omitempty"`
		LastActivity *time.Time   `json:"last_activity,omitempty"`
		Clients      []string     `json:"clients,omitempty"`
		Running      *runningCode `json:"running,omitempty"`
		Program      string       `json:"program,omitempty"`
		Directory    string       `json:"directory,omitempty"`
		Environment  string       `json:"environment,omitempty"`
		StartedAt    *time.Time   `json:"started_at,omitempty"`
		Problem      string       `json:"problem,omitempty"`
		Death        string       `json:"death,omitempty"`
		catalog.KernelUsage
	}
	several := slices.ContainsFunc(o.Sessions, func(s catalog.Session) bool { return s.Server != o.Sessions[0].Server })
	list := make([]brief, len(o.Sessions))
	for i, s := range o.Sessions {
		list[i] = brief{
			SessionID: s.SessionID, Title: s.Title, KernelName: s.KernelName, Status: s.Status, NotebookPath: s.NotebookPath, Server: s.Server,
			Owner: s.Owner, Generation: s.Generation, Images: s.Images, LastActivity: atSecond(s.LastActivity), Clients: s.Clients,
			Directory: s.Directory, Environment: s.Environment, Death: s.Death, KernelUsage: s.KernelUsage,
		}
		if x := s.Running; x != nil {
			list[i].Running = &runningCode{x.ExecutionID, atSecond(x.Since), x.Seconds, x.Client, x.Code}
			list[i].LastActivity = nil // it is active now
		}
		if p := s.Process; p != nil {
			list[i].Program, list[i].Directory, list[i].StartedAt, list[i].Problem = p.Program, p.Directory, atSecond(p.StartedAt), p.Problem
		}
		if s.Generation == 1 { // never restarted
			list[i].Generation = 0
		}
		if !several {
			list[i].Server = ""
		}
	}
	servers := o.Servers
	if len(servers) == 1 && len(servers[0].Kernels) < 2 {
		servers = nil // there is nothing to choose
	}
	return struct {
		catalog.Result
		Sessions []brief                 `json:"sessions"`
		Servers  []catalog.StartingPoint `json:"servers,omitempty"`
	}{o.Result, list, servers}
}

func sessionConnectOut(o catalog.SessionConnectOut) any {
	return struct {
		catalog.Result
		catalog.SessionNews
		SessionID    string `json:"session_id"`
		KernelID     string `json:"kernel_id"`
		NotebookPath string `json:"notebook_path,omitempty"`
		Status       string `json:"status"`
		Connected    bool   `json:"connected"`
		Server       string `json:"server,omitempty"`
	}{o.Result, o.SessionNews, o.SessionID, o.KernelID, o.NotebookPath, o.Status, o.Connected, serverOf(o.AtServer)}
}

func sessionDeleteOut(o catalog.SessionDeleteOut) any {
	return struct {
		catalog.Result
		Status string `json:"status"`
	}{o.Result, o.Status}
}

func sessionRestartOut(o catalog.SessionRestartOut) any {
	return struct {
		catalog.Result
		catalog.SessionNews
		Status     string `json:"status"`
		Generation int    `json:"generation"`
		Hint       string `json:"hint,omitempty"`
	}{o.Result, o.SessionNews, o.Status, o.Generation, o.Hint}
}

func sessionInterruptOut(o catalog.SessionInterruptOut) any {
	return struct {
		catalog.Result
		catalog.SessionNews
		Status      string `json:"status"`
		Outcome     string `json:"outcome,omitempty"`
		ExecutionID string `json:"execution_id,omitempty"`
		Hint        string `json:"hint,omitempty"`
	}{o.Result, o.SessionNews, o.Status, o.Outcome, o.ExecutionID, o.Hint}
}

// serverOf returns the name of the server for a model; "" if there is only one.
func serverOf(s catalog.AtServer) string {
	if !s.Several {
		return ""
	}
	return s.Server
}
