package pycode

import (
	"slices"
	"strings"
)

// imports notes what an import statement defines.
func (r *riskReader) imports(p placedStatement) {
	t := p.tokens
	if len(t) < 2 || !t[0].is("import") && !t[0].is("from") {
		return
	}
	if t[0].is("import") {
		for _, part := range split(t[1:]) {
			module, as := dotted(part)
			if as == "" {
				r.checkImport(p, t[0], module, "")
				as, _, _ = strings.Cut(module, ".")
				r.mean(as, as)
				continue
			}
			r.checkImport(p, t[0], module, "")
			r.mean(as, module)
		}
		return
	}
	i := slices.IndexFunc(t, func(t token) bool { return t.is("import") })
	if i < 0 {
		return
	}
	from, _ := dotted(t[1:i])
	rest := slices.DeleteFunc(slices.Clone(t[i+1:]), func(t token) bool { return t.is("(") || t.is(")") })
	for _, part := range split(rest) {
		n, as := dotted(part)
		r.checkImport(p, t[0], from, n)
		if as == "" {
			as = n
		}
		r.mean(as, from+"."+n)
	}
}

func (r *riskReader) mean(as, full string) {
	as, full = plainName(as), plainName(full)
	if !slices.Contains(r.known.meanings[as], full) {
		r.known.meanings[as] = append(slices.Clip(r.known.meanings[as]), full)
	}
}

// checkImport adds a risk if a module is unknown, or if all names are imported from one that is risky.
func (r *riskReader) checkImport(p placedStatement, at token, module, n string) {
	module = plainName(module)
	rule, risky := ruleOf(module)
	known := risky || harmless(module)
	root, _, _ := strings.Cut(module, ".")
	local := r.readModule(p, at, module)
	if local && n != "" && n != "*" {
		r.readModule(p, at, module+"."+n)
	}
	if local && n != "*" {
		return
	}
	switch {
	case n == "*" && (local || !known || risky && rule.kind != ""):
		r.known.injected = true
		r.imported(p, at, "from "+module+" import *")
	case n == "*":
		r.known.starred = true
	case !known && (n == "" || !harmless(module+"."+n)):
		r.imported(p, at, "import "+module)
		if !r.byUser {
			r.known.imported[root] = true
		}
	}
}

// readModule reads the source of a module in the folder and of the packages around it, and notes what is risky in it: what runs
// when it is imported, and its functions. It reports false if there is no such file.
func (r *riskReader) readModule(p placedStatement, at token, module string) (local bool) {
	if r.folder.Read == nil || r.known.moved || r.known.pathed || r.known.injected || r.depth > 3 || strings.HasPrefix(module, ".") {
		return false
	}
	parts := strings.Split(module, ".")
	for n := range parts {
		path := strings.Join(parts[:n+1], "/")
		text, ok := r.folder.Read(path + "/__init__.py")
		if !ok {
			text, ok = r.folder.Read(path + ".py")
		}
		if ok {
			local = true
			r.readSource(p, at, strings.Join(parts[:n+1], "."), text)
		}
	}
	return local
}

// readSource notes what is risky in the source of a module.
func (r *riskReader) readSource(p placedStatement, at token, module, text string) {
	inner := NewFollower(r.folder, true).reader(text)
	inner.depth = r.depth + 1
	inner.read()
	for _, m := range inner.found {
		r.imported(p, at, "import "+module+", which mentions "+m.What)
	}
	r.known.imported[strings.Split(module, ".")[0]] = true
	for n, carried := range inner.known.carriers {
		for _, m := range carried {
			if strings.HasSuffix(n, "()") { // of a module that it imports
				r.carry(n, m)
				continue
			}
			r.carry(module+"."+n+"()", m)
			r.carry(n+".()", m)
		}
	}
	for n, meanings := range inner.known.meanings { // what it imports can be imported from it
		for _, full := range meanings {
			for _, m := range inner.known.carriers[full+"()"] {
				r.carry(module+"."+n+"()", m)
			}
			if kind := riskOf(full); kind != "" && hasRule(strings.Split(full, ".")[0]) {
				r.carry(module+"."+n+"()", mention{Risk: Risk{kind, 1, full}, loose: true})
			}
		}
	}
}

// imported adds the risk of running a module's code.
func (r *riskReader) imported(p placedStatement, at token, what string) {
	m := mention{Risk: Risk{RiskUnseen, p.lineOf(at), what}}
	if p.deferred != nil {
		r.add(p, m)
		return
	}
	if len(r.flat) > 0 {
		r.found = append(r.found, m)
	}
}

// ruleOf returns the rule of a module or name, if it or something above it has one: the one of the longest.
func ruleOf(full string) (moduleRule, bool) {
	for at := full; ; {
		if rule, ok := riskyModules[at]; ok {
			return rule, true
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			return moduleRule{}, false
		}
		at = at[:i]
	}
}

// harmless reports whether a module, or one above it, only computes.
func harmless(module string) bool {
	for at := module; ; {
		if harmlessModules[at] {
			return true
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			return false
		}
		at = at[:i]
	}
}

// riskOf returns the kind of risk of a name in full, or "".
func riskOf(full string) RiskKind {
	root, _, _ := strings.Cut(full, ".")
	for at := full; ; {
		if rule, ok := riskyModules[at]; ok {
			rest := strings.TrimPrefix(strings.TrimPrefix(full, at), ".")
			if rule.kind == "" || rest != "" && slices.ContainsFunc(rule.allowed, func(a string) bool {
				return a == rest || strings.HasSuffix(a, ".") && strings.HasPrefix(rest, a)
			}) {
				return ""
			}
			return rule.kind
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			break
		}
		at = at[:i]
	}
	if harmlessModules[root] || harmless(full) {
		return ""
	}
	return RiskUnseen
}
