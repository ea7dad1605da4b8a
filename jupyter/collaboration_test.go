package jupyter

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestRooms(t *testing.T) {
	const collaboration, documents = `{"name": "@jupyter/docprovider-extension"}`, `{"name": "@jupyter-ai-contrib/server-documents"}`
	for name, c := range map[string]struct {
		config, room string
		onDemand     bool
	}{
		"jupyter-collaboration":           {`"federated_extensions": [` + collaboration + `]`, "room/json:notebook:one?sessionId=s", true},
		"jupyter-server-documents":        {`"federated_extensions": [` + collaboration + `, ` + documents + `], "disabledExtensions": ["@jupyter/docprovider-extension:forkManager"]`, "room/json:notebook:two", false},
		"collaboration is off":            {`"disableRTC": true, "federated_extensions": [` + collaboration + `]`, "", false},
		"a part of collaboration is off":  {`"federated_extensions": [` + collaboration + `], "disabledExtensions": ["@jupyter/docprovider-extension:drive"]`, "", false},
		"JupyterLab without any of these": {`"federated_extensions": []`, "", false},
	} {
		mux := http.NewServeMux()
		answer := func(pattern, body string) {
			mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, body)
			})
		}
		answer("GET /lab", `<script id="jupyter-config-data" type="application/json">{`+c.config+`}</script>`)
		answer("GET /api/contents/n.ipynb", `{"type": "notebook", "path": "n.ipynb"}`)
		answer("PUT /api/collaboration/session/n.ipynb", `{"fileId": "one", "sessionId": "s"}`)
		answer("POST /api/fileid/index", `{"id": "two"}`)
		web := httptest.NewServer(mux)
		s, err := New(web.URL, "token")
		require.NoError(t, err)
		room, err := s.Room(t.Context(), "n.ipynb")
		if c.room == "" {
			if !errors.Is(err, ErrNoRooms) {
				t.Errorf("%s: %v, %v", name, room, err)
			}
		} else if err != nil || !strings.HasSuffix(room.URL, "/api/collaboration/"+c.room) || room.OnDemand != c.onDemand {
			t.Errorf("%s: %v, on demand: %t, %v", name, room, room.OnDemand, err)
		}
		if _, err := s.Room(t.Context(), "missing.ipynb"); err == nil {
			t.Errorf("%s: a room of what does not exist", name)
		}
		web.Close()
	}
}
