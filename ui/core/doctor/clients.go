package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"easel/ui/core/clients"
	"easel/ui/core/roster"
)

func checkClients(_ context.Context, p *patient) []reportLine {
	var out []reportLine
	found := false
	for _, c := range clients.All {
		for _, file := range c.Files() {
			text, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			found = true
			f := p.judge(c.Name, string(text))
			f.text += " (" + file + ")"
			out = append(out, f)
		}
	}
	if !found {
		out = append(out, reportLine{
			mind, "Clients", "no settings of an MCP client were found",
			"The window's Connect page sets up Claude Code, Codex, VS Code and others; README.md lists them.",
		})
	}
	return out
}

var (
	// The files are JSON, JSON with comments, TOML or YAML. Regular expressions find
	// Easel's entry in all of them.
	address = regexp.MustCompile(`https?://(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)/mcp\b`)
	bridge  = regexp.MustCompile(`(?s)"?command"?\s*[:=]\s*\[?\s*"[^"]*\beasel(?:\.exe)?"[^{}]*"(?:mcp|stdio)"`)
	bearer  = regexp.MustCompile(`Bearer ([A-Za-z0-9._~+/=-]{8,})`)
)

// judge returns a finding about a client's settings: whether they connect to this Easel.
func (p *patient) judge(name, text string) reportLine {
	f := reportLine{grade: good, about: name}
	port := p.Port
	if p.running.Port != 0 {
		port = p.running.Port
	}
	if bridge.MatchString(text) {
		f.text = "starts easel mcp"
		return f
	}
	m := address.FindAllStringSubmatch(text, -1)
	if m == nil {
		f.grade, f.text = mind, "has no entry for Easel"
		f.todo = "To connect it, see the window's Connect page or README.md."
		return f
	}
	ports := make([]string, 0, len(m))
	for _, s := range m {
		if s[1] == strconv.Itoa(port) {
			f.text = "connects to Easel at " + s[0]
			return p.judgeEntry(f, name, text)
		}
		ports = append(ports, s[1])
	}
	f.grade = mind
	f.text = fmt.Sprintf("names port %s, Easel's is %d", strings.Join(ports, ", "), port)
	f.todo = "If that is meant to be Easel, change the port there, or start Easel with --port."
	return f
}

// judgeEntry checks an entry with the right address for two common mistakes.
func (p *patient) judgeEntry(f reportLine, name, text string) reportLine {
	if name == "Claude Code" && withoutType(text) {
		f.grade = mind
		f.text += ", but without \"type\": \"http\", and so takes it for a command"
		f.todo = "Add \"type\": \"http\" to the entry."
		return f
	}
	token := p.running.Token
	if token == "" {
		kept, _ := os.ReadFile(filepath.Join(p.DataDir, "token"))
		token = strings.TrimSpace(string(kept))
	}
	given := bearer.FindAllStringSubmatch(text, -1)
	if token == "" || len(given) == 0 {
		return f
	}
	known, _ := roster.Read(p.DataDir) // without it, no client's own token is valid
	for _, g := range given {
		id, own := known.Find(token, g[1])
		if program, _ := roster.ProgramOf(id); own && program.Name == name || g[1] == token {
			return f
		}
	}
	f.grade = mind
	f.text += ", but with another token"
	f.todo = "Copy the token again from the window's Connect page."
	return f
}

// withoutType reports whether settings of Claude Code have an entry with a loopback address
// and no type.
func withoutType(text string) bool {
	type entry struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	var s struct {
		Servers  map[string]entry `json:"mcpServers"`
		Projects map[string]struct {
			Servers map[string]entry `json:"mcpServers"`
		} `json:"projects"`
	}
	if json.Unmarshal([]byte(text), &s) != nil {
		return false
	}
	all := []map[string]entry{s.Servers}
	for _, project := range s.Projects {
		all = append(all, project.Servers)
	}
	for _, servers := range all {
		for _, e := range servers {
			if e.Type == "" && address.MatchString(e.URL) {
				return true
			}
		}
	}
	return false
}
