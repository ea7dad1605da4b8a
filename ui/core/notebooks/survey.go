package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// mostTabs is how many notebooks Tabs remembers.
const mostTabs = 256

// Tabs finds the JupyterLab tabs that show notebooks, and remembers them. To ask a page whether
// it shows a notebook has a price: if it does not, it reads the whole notebook to answer, and
// stays connected to its kernel until the page is closed (jupyterlab-ai-commands 0.4.0, which
// disposes of a document that is still connecting). To ask for its current notebook has none.
//
// Tabs is safe for concurrent use. The zero value is ready to use.
type Tabs struct {
	mu    sync.Mutex
	known map[tabKey]knownTab
}

type tabKey struct {
	server TabServer
	path   string
}

// A knownTab is the only tab that showed a notebook when all were asked.
type knownTab struct {
	client string // id of the tab
	sole   string
}

// Open returns the tab that has the notebook at path open. If it is not exactly one that can be
// used, the error is an *OpenError. The first tab has patience to answer. The notebook must
// exist; otherwise JupyterLab would show an error to the user.
//
// expected is whether a tab probably has it open, and may be too busy to answer at once. If not,
// Open finds it only if it is the current notebook of a page. A tab of another notebook that is
// open in the same page but not connected to a kernel is not found.
//
// A tab that shows a notebook is connected to its kernel. So if one client is connected besides
// Easel, sole names the kernel and its session; otherwise it is "". If sole was the same when
// the tab was found, no other tab can show the notebook now, and Open asks only that tab.
func (t *Tabs) Open(ctx context.Context, s TabServer, path string, patience time.Duration, expected bool, sole string) (*Tab, error) {
	b, err := openBus(ctx, s)
	if err != nil {
		return nil, err
	}
	defer b.close()
	b.ack = ackTime
	if client := t.recall(tabKey{s, path}, sole); client != "" {
		shown, err := b.shows(ctx, client, path)
		if err == nil && shown {
			return &Tab{server: s, path: path, client: client}, nil
		}
	}
	found, err := b.find(ctx, path, patience, expected, sole != "")
	if err != nil {
		t.remember(tabKey{s, path}, knownTab{})
		return nil, err
	}
	t.remember(tabKey{s, path}, knownTab{found, sole})
	return &Tab{server: s, path: path, client: found}, nil
}

// find returns the id of the tab that has the notebook at path open. sole is whether there is
// only one client that can be one.
func (b *bus) find(ctx context.Context, path string, patience time.Duration, expected, sole bool) (string, error) {
	found, err := b.survey(ctx, path, true, patience, gatherTime)
	if err != nil {
		return "", err
	}
	certain := len(found.open) == 1 && (sole || len(found.clients) == 1) || len(found.open) == 0 && !expected
	if !certain {
		found, err = b.survey(ctx, path, false, patience, gatherTime)
		if err == nil && len(found.open) == 0 && expected {
			found, err = b.survey(ctx, path, false, patience, seekTime)
		}
	}
	if err == nil {
		err = found.unusable()
	}
	if err != nil {
		return "", err
	}
	return found.open[0], nil
}

// recall returns the tab that showed a notebook when sole was the same, or "".
func (t *Tabs) recall(key tabKey, sole string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.known[key]; sole != "" && k.sole == sole {
		return k.client
	}
	return ""
}

func (t *Tabs) remember(key tabKey, k knownTab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.sole == "" {
		delete(t.known, key)
		return
	}
	if t.known == nil || len(t.known) >= mostTabs {
		t.known = make(map[tabKey]knownTab)
	}
	t.known[key] = k
}

// A survey is what the tabs have answered.
type survey struct {
	clients []string // ids of the tabs that are there
	open    []string // of those that show the notebook
	silent  int      // how many did not answer whether they do
}

// unusable returns why there is not exactly one tab, as an *OpenError, or nil if there is.
func (s survey) unusable() error {
	switch {
	case len(s.open) == 1:
		return nil
	case len(s.clients) == 0:
		return &OpenError{Reason: "no JupyterLab tab is connected to its Jupyter server", Remedy: "open the notebook in JupyterLab", Shown: nobody}
	case len(s.open) == 0 && s.silent > 0:
		return &OpenError{Reason: "a JupyterLab tab does not answer", Remedy: "try again, or ask the user to reload the page in JupyterLab", Shown: unknown}
	case len(s.open) == 0:
		return &OpenError{Reason: "no JupyterLab tab shows it", Remedy: "open the notebook in JupyterLab"}
	default:
		return &OpenError{
			Reason: fmt.Sprintf("%d JupyterLab tabs show it, and each has its own copy", len(s.open)), Remedy: "close it in all tabs but one", Shown: several,
		}
	}
}

// A shownAnswer is what matters of the answer to cmdInfo.
type shownAnswer struct {
	Path   string  `json:"notebookPath"`
	Active *string `json:"activeCellId"` // nil if the tab does not have the notebook open
}

// is reports whether the answer is about the notebook at path. Where documents are shared, the
// path of a tab begins with the name of a drive.
func (a shownAnswer) is(path string) bool {
	return a.Path == path || strings.HasSuffix(a.Path, ":"+path)
}

// shows reports whether a tab has the notebook at path open.
func (b *bus) shows(ctx context.Context, client, path string) (bool, error) {
	var info shownAnswer
	err := b.run(ctx, client, cmdInfo, args{"notebookPath": path}, &info)
	return info.Active != nil, err
}

// A tabQuery is a tab that was asked whether it shows a notebook.
type tabQuery struct {
	client   string
	deadline time.Time // for its next answer
}

// survey asks all tabs at once whether they show the notebook at path; with current, whether it
// is their current notebook. The first has patience to answer, each further one gather, or
// longer on a slow machine.
func (b *bus) survey(ctx context.Context, path string, current bool, patience, gather time.Duration) (s survey, err error) {
	question := args{"notebookPath": path}
	if current {
		question = nil
	}
	hello, err := b.send(ctx, "", cmdClientID, nil)
	if err != nil {
		return s, err
	}
	began := time.Now()
	more := began.Add(patience) // until then, further tabs may answer
	open := make(map[string]tabQuery)
	for {
		until := more
		for request, q := range open {
			if time.Now().After(q.deadline) {
				delete(open, request)
				s.silent++
			} else if q.deadline.Before(until) || time.Now().After(until) {
				until = q.deadline
			}
		}
		if time.Now().After(more) && len(open) == 0 {
			return s, nil
		}
		a, err := b.any(ctx, time.Until(until))
		if errors.Is(err, errNoTab) {
			continue
		}
		if err != nil {
			return s, err
		}
		q, isAsked := open[a.RequestID]
		switch {
		case a.RequestID == hello && a.schema == schemaAck && s.add(a.ClientID):
			request, err := b.send(ctx, a.ClientID, cmdInfo, question)
			if err != nil {
				return s, err
			}
			open[request] = tabQuery{a.ClientID, time.Now().Add(b.ack)}
			more = time.Now().Add(max(gather, 3*time.Since(began))) // on a busy machine, the others are slow, too
		case isAsked && a.schema == schemaAck:
			open[a.RequestID] = tabQuery{q.client, time.Now().Add(doneTime)}
		case isAsked:
			delete(open, a.RequestID)
			if current && !a.Success {
				continue // the page has no notebook, or no commands for them
			}
			if err := s.answered(q.client, path, a); err != nil {
				return s, err
			}
		}
	}
}

// add adds a tab, and reports whether it is new.
func (s *survey) add(client string) bool {
	if slices.Contains(s.clients, client) {
		return false
	}
	s.clients = append(s.clients, client)
	return true
}

// answered adds what a tab has answered.
func (s *survey) answered(client, path string, a answer) error {
	if !a.Success {
		return &OpenError{Reason: fmt.Sprintf("JupyterLab does not have the commands to edit it: it reports %q for %s", a.Error, cmdInfo), Remedy: TabRemedy, Shown: unknown}
	}
	var info shownAnswer
	if err := json.Unmarshal(a.Result, &info); err != nil {
		return err
	}
	if info.Active != nil && info.is(path) {
		s.open = append(s.open, client)
	}
	return nil
}
