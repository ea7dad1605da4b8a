package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"easel/internal/mask"
	"easel/mcphost/handover"
	"easel/mcphost/instance"
	"easel/ui/core/clients"
	"easel/ui/core/command"
	"easel/ui/core/roster"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// command carries out a command of the program for another process. The answer is JSON.
func (e *easel) command(ctx context.Context, c handover.Command) (string, error) {
	switch c.Name {
	case "assistants":
		var in roster.Change
		if err := json.Unmarshal(c.In, &in); err != nil {
			return "", err
		}
		out, err := e.changeAssistants(ctx, in)
		if err != nil {
			return "", err
		}
		raw, err := json.Marshal(out)
		return string(raw), err
	case "questions":
		var in command.TerminalRequest
		if err := json.Unmarshal(c.In, &in); err != nil {
			return "", err
		}
		open, err := e.questions(ctx, in)
		if err != nil {
			return "", err
		}
		raw, err := json.Marshal(open)
		return string(raw), err
	default:
		return "", fmt.Errorf("the Easel that runs (version %s) does not know the command %q; quit it, then try again", version, c.Name)
	}
}

// changeAssistants changes what assistants may do, as the window does.
func (e *easel) changeAssistants(ctx context.Context, c roster.Change) (roster.Outcome, error) {
	out, err := e.tokens(e.host).Change(c)
	if err != nil {
		return out, err
	}
	out.URL = e.host.URL()
	if out.Token != "" {
		e.mask.Add(mask.Client, out.Token)
	}
	if c.Do == roster.Forget {
		e.host.EndStreams()
	}
	if c.Do != "" && c.Do != roster.Show {
		if err := e.Roster.Save(); err != nil {
			return out, fmt.Errorf("it was changed, but will be lost when Easel ends: %w", err)
		}
		e.log.InfoContext(ctx, "an assistant was changed on the command line", "change", c.Do, "id", out.Changed, "set", c.Set)
	}
	return out, nil
}

// runAssistants lists or changes assistants: through the running Easel, which has them in memory, or in their file.
func runAssistants(ctx context.Context, o settings.Options) error {
	c := o.Assistants
	if _, err := os.Stat(o.DataDir); errors.Is(err, os.ErrNotExist) && c.Do != roster.Add {
		return fmt.Errorf("Easel has not run with %s; --data-dir names another directory", o.DataDir) //nolint:staticcheck // its name
	}
	mine, running, err := instance.LockOrFind(ctx, o.DataDir, endPatience, func() {
		fmt.Fprintln(os.Stderr, "Waiting for another Easel that starts or ends.")
	})
	var out roster.Outcome
	switch {
	case err != nil:
		return err
	case mine != nil:
		out, err = changeAssistantsClosed(o)
		err = errors.Join(err, mine.Close())
	case running.Handover == "":
		err = fmt.Errorf("the Easel that runs (version %s) cannot do that; quit it, then try again", running.Version)
	default:
		out, err = askAssistants(ctx, running.Handover, c)
	}
	switch {
	case err != nil:
		return err
	case o.JSON:
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	case out.Token != "":
		return writeConnection(os.Stdout, o, out)
	default:
		return writeAssistants(os.Stdout, out)
	}
}

// askAssistants has the running Easel change its assistants.
func askAssistants(ctx context.Context, address string, c roster.Change) (out roster.Outcome, err error) {
	in, err := json.Marshal(c)
	if err != nil {
		return out, err
	}
	done, err := handover.SendTransfer(ctx, address, handover.Transfer{Command: &handover.Command{Name: "assistants", In: in}}, nil)
	if err == nil {
		err = json.Unmarshal([]byte(done), &out)
	}
	return out, err
}

// changeAssistantsClosed changes the assistants of an Easel that does not run.
func changeAssistantsClosed(o settings.Options) (out roster.Outcome, err error) {
	kept, err := roster.ReadOrBegin(o.DataDir)
	if err != nil {
		return out, fmt.Errorf("%w; the next start of Easel replaces the file", err)
	}
	token := o.Token
	if c := o.Assistants; token == "" && (c.Do == roster.Add || c.Do == roster.Show) {
		if token, err = instance.Token(o.DataDir); err != nil {
			return out, err
		}
	}
	store := state.NewStore(state.Snapshot{Assistants: kept.Assistants, AssistantKey: kept.Key})
	out, err = roster.Tokens{Store: store, Easel: func() string { return token }}.Change(o.Assistants)
	if err != nil || o.Assistants.Do == "" {
		return out, err
	}
	port := o.Port
	if s, _, err := settings.Load(o.DataDir); err == nil {
		port = cmp.Or(port, s.Port)
	}
	out.URL = "http://127.0.0.1:" + strconv.Itoa(port)
	return out, roster.Save(o.DataDir, roster.Of(store.Snapshot()))
}

// writeConnection writes the token of the assistant that was added or is to be shown, and how to connect it.
func writeConnection(w io.Writer, o settings.Options, out roster.Outcome) error {
	i := slices.IndexFunc(out.Assistants, func(a roster.Entry) bool { return a.ID == out.Changed })
	if i < 0 {
		return fmt.Errorf("%s was forgotten meanwhile", out.Changed)
	}
	conn := clients.Connection{Token: out.Token, Exe: executable(), Args: o.Bridge()}
	conn.URL, _ = url.JoinPath(out.URL, "mcp")
	program, ok := roster.ProgramOf(out.Changed)
	if !ok {
		program = clients.All[len(clients.All)-1] // any other
	}
	head := "Connect it with one of these"
	switch file := program.File(); {
	case !ok:
	case program.Format == clients.Command:
		head = "Run this"
	case file == "":
		head = "Paste this into its settings"
	default:
		head = "Add this to " + file
	}
	_, err := fmt.Fprintf(w, "%s (id %s) has a token of its own. Nobody else may have it:\n%s\n\n%s:\n\n%s\n",
		out.Assistants[i].Name, out.Changed, out.Token, head, program.Snippet(conn))
	return err
}

// writeAssistants writes the list of assistants.
func writeAssistants(w io.Writer, out roster.Outcome) error {
	day := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // for people
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tID\tSINCE\tSEEN\tCALLS\tPLOTS\tRIGHTS\tPAUSED")
	for _, a := range out.Assistants {
		paused := "-"
		if a.Paused {
			paused = "yes"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n",
			a.Name, a.ID, day(a.Since), day(a.Seen), a.Calls, a.Plots, a.Rights, paused)
	}
	return table.Flush()
}
