package pycode

import (
	"regexp"
	"slices"
	"strings"
)

// Magics of IPython without a risk. With a "line" they run the code that follows in the line, with a "cell" that of the
// cell.
var (
	harmlessMagics = set(`matplotlib pylab config precision autoreload who whos who_ls xmode colors pdoc pinfo pinfo2 psource quickref page pprint doctest_mode
		lsmagic magic history hist pwd dirs autosave latex markdown svg html2 capture time timeit prun memit mprun lprun load_ext
		reload_ext automagic autocall timer tic toc conda_list unload_ext watermark xdel psearch pfile pdef`)
	shellMagics   = set(`bash sh script cmd system sx perl ruby ! powershell`)
	runningMagics = set(`time timeit capture prun memit lprun mprun`)
	// extensions may be loaded.
	extensions = set(`autoreload line_profiler memory_profiler tensorboard watermark nb_black lab_black jupyter_black ipython_unittest cudf.pandas`)
	// harmlessCommand matches commands of a shell that only show something.
	harmlessCommand = regexp.MustCompile(`^(?:pwd|nvidia-smi|date|free|lscpu|uname|whoami|hostname|nproc|uptime|tree|python3? (?:--version|-V)|pip3? (?:list|freeze|show(?: \w[\w.-]*)+)|` +
		`(?:ls|ll|head|tail|wc|cat|du|df|file|which)(?:\s+[\w./=*@:, -]*)?)$`)
	automatic = set(`rm mv cp mkdir rmdir ln chmod cat pip conda mamba cd env set_env run sx system store save logstart macro edit pushd popd uv pycat load loadpy notebook rerun
		recall alias bookmark script bash sh writefile file killbgscripts more less man cls clear ls ll lf lk ldir lx time timeit prun lprun reset reset_selective load_ext reload_ext config history hist rehashx xdel`)
)

// lineMagic reads a line in IPython's own syntax.
func (r *riskReader) lineMagic(p placedStatement, said string, line int) {
	if kind, what := magicRisk(said); kind != "" {
		r.known.injected = r.known.injected || kind == RiskUnseen
		r.add(p, mention{Risk: Risk{kind, line, what}})
		return
	}
	n, rest := magicName(said)
	r.known.moved = r.known.moved || n == "cd" || n == "pushd" || n == "popd"
	switch {
	case runningMagics[n]:
		r.innerOf(p, rest, line-1)
	case n == "config":
		if _, value, sets := strings.Cut(rest, "="); sets {
			r.innerOf(p, value, line-1)
		}
	case n == "xdel" && r.known.frames[plainName(rest)]:
		r.add(p, mention{Risk: Risk{RiskVariable, line, rest}})
	case n == "pylab":
		r.mean("np", "numpy")
		r.mean("plt", "matplotlib.pyplot")
		r.known.starred = true
	}
}

// innerOf reads the code in a magic.
func (r *riskReader) innerOf(p placedStatement, code string, lines int) {
	if p.deferred == nil {
		r.cell(strings.TrimLeft(optionSigns.ReplaceAllString(code, ""), " "), lines)
		return
	}
	inner := newRiskReader(code, r.folder, r.known)
	inner.inner = r.inner + 1
	inner.read()
	for _, m := range inner.found {
		m.Line += lines
		r.add(p, m)
	}
}

// lineMagicIn reads a magic whose result a statement assigns.
func (s *statementReader) lineMagicIn(said string, i int) {
	if kind, what := magicRisk(said); kind != "" {
		s.mention(i, kind, what, true)
	}
}

// optionSigns matches the signs of a magic's options, such as -n 10. What follows may name a function.
var optionSigns = regexp.MustCompile(`(?:^|\s)-+(?:[a-zA-Z]\b)?`)

// writingOptions match options of magics that write to a file.
var writingOptions = regexp.MustCompile(`(?:^|\s)-[TDfo]`)

func magicName(said string) (n, rest string) {
	n, rest, _ = strings.Cut(strings.TrimLeft(said, "%"), " ")
	return n, strings.TrimSpace(rest)
}

// magicRisk returns the risk of a line in IPython's own syntax; "" if it has none.
func magicRisk(said string) (kind RiskKind, what string) {
	said = strings.TrimSpace(said)
	shown := said
	if len(shown) > 60 {
		shown = strings.ToValidUTF8(shown[:60], "") + "…"
	}
	switch {
	case strings.HasPrefix(said, "?"):
		return "", ""
	case strings.HasPrefix(said, "!"):
		return commandRisk(strings.TrimLeft(said, "!"), shown)
	case strings.HasSuffix(said, `\`):
		return RiskUnseen, shown
	}
	n, rest := magicName(said)
	switch {
	case strings.HasSuffix(n, "?"):
		return "", ""
	case n == "pip" || n == "conda" || n == "mamba" || n == "micromamba" || n == "uv":
		if harmlessCommand.MatchString(n + " " + rest) {
			return "", ""
		}
		return RiskPackages, shown
	case n == "load_ext" || n == "reload_ext":
		if extensions[rest] {
			return "", ""
		}
		return RiskUnseen, shown
	case n == "config" && !regexp.MustCompile(`^(?:InlineBackend|IPCompleter|Completer|AutoreloadMagics)\b`).MatchString(rest), n == "reset":
		return RiskUnseen, shown
	case n == "env" || n == "set_env" || n == "dotenv":
		variable, _, sets := strings.Cut(strings.ReplaceAll(rest, " ", "="), "=")
		if sets && harmlessVariables.MatchString(variable) {
			return "", ""
		}
		return RiskSecrets, shown
	case n == "ls" || n == "ll" || n == "lf" || n == "lk" || n == "ldir" || n == "lx" || n == "cat":
		return commandRisk("ls "+rest, shown)
	case (n == "prun" || n == "history" || n == "hist") && writingOptions.MatchString(rest):
		return RiskFiles, shown
	case harmlessMagics[n] || n == "lprun" || n == "mprun":
		if secret.MatchString(rest) {
			return RiskSecrets, shown
		}
		return "", ""
	case n == "cd" || n == "pushd" || n == "popd":
		return "", ""
	case n == "writefile" || n == "file" || n == "save" || n == "notebook" || n == "logstart" || n == "store" || n == "pickle":
		return RiskFiles, shown
	case shellMagics[n]:
		return commandOf(n, rest, shown)
	}
	return RiskUnseen, shown
}

func commandOf(n, rest, shown string) (RiskKind, string) {
	if n == "system" || n == "sx" {
		return commandRisk(rest, shown)
	}
	return RiskPrograms, shown
}

// commandRisk returns the risk of a command of a shell.
func commandRisk(command, shown string) (RiskKind, string) {
	command = strings.TrimSpace(command)
	switch {
	case installer.MatchString(command):
		return RiskPackages, shown
	case secret.MatchString(command):
		return RiskSecrets, shown
	case harmlessCommand.MatchString(command) && !strings.Contains(command, `\`):
		return "", ""
	}
	return RiskPrograms, shown
}

// cellMagic reads a cell with a magic in its first line.
func (r *riskReader) cellMagic(head, body string, line int) {
	n, rest := magicName(head)
	switch {
	case runningMagics[n]:
		if rest != "" && n != "capture" {
			r.cell(optionSigns.ReplaceAllString(rest, ""), line-1)
		}
		if n == "capture" && r.known.frames[plainName(strings.TrimSpace(optionSigns.ReplaceAllString(rest, "")))] {
			r.found = append(r.found, mention{Risk: Risk{RiskVariable, line, rest}})
		}
		r.cell(body, line)
	case n == "latex":
	case n == "html" || n == "HTML" || n == "markdown" || n == "svg":
		if riskyMarkup.MatchString(body) {
			r.found = append(r.found, mention{Risk: Risk{RiskUnseen, line, "HTML with a script"}})
		}
	default:
		kind, what := magicRisk(head)
		if kind == "" {
			kind, what = RiskUnseen, head
		}
		r.found = append(r.found, mention{Risk: Risk{kind, line, what}})
	}
}

// automagic reads a single line that IPython takes for a magic without its sign, such as "rm a".
func (r *riskReader) automagic(s *scanner, code string, line int) {
	if len(s.out) == 0 || strings.Contains(strings.TrimSpace(code), "\n") {
		return
	}
	t := s.out[0].tokens
	if t[0].kind != name || !automatic[t[0].word] || r.known.assigned[t[0].word] {
		return
	}
	attribute := len(t) > 2 && t[1].is(".") && t[2].kind == name
	if attribute || len(t) > 1 && slices.ContainsFunc([]string{"=", "(", "[", ",", ":", "=="}, t[1].is) {
		return
	}
	said := strings.TrimSpace(code)
	kind, what := magicRisk("%" + said)
	if kind == RiskUnseen {
		kind, what = commandRisk(said, said)
	}
	if kind != "" {
		r.found = append(r.found, mention{Risk: Risk{kind, line, what}})
		return
	}
	r.lineMagic(placedStatement{}, "%"+said, line)
}
