package kernels

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/mimebundle"
	"easel/ui/core/oversight"
)

// variablesSource is the code that describes variables. It runs as a user_expression of a
// silent request, so it changes no counter, no name and no history.
//
//go:embed variables.py
var variablesSource string

// answerMIME is the MIME type of the results of Easel's own code in a kernel.
const answerMIME = "application/vnd.easel.answer"

// maxVariables is the largest number of variables that Variables returns.
const maxVariables = 2000

// expression returns a single Python expression that runs source, which defines functions,
// and then call, which uses them. It leaves no name in the user's namespace.
func expression(source, call string) string {
	return fmt.Sprintf(
		"(lambda b, ns, g: (b.exec(b.compile(%s, '<easel>', 'exec'), g), b.eval(%s, g, {'ns': ns}))[1])(__import__('builtins'), globals(), {'__name__': 'easel', 'MIME': %s})",
		quote(source), quote("Answer("+call+")"), quote(answerMIME))
}

// quote returns s as a Python string literal. Python understands the escapes of JSON.
func quote(s string) string {
	raw, _ := json.Marshal(s) // cannot fail for a string
	return string(raw)
}

// Variables describes the user's variables in a session whose name or type contains filter.
// If the kernel supports subshells, it works while code runs. Otherwise, the error for a
// busy kernel is jupyter.ErrKernelBusy. For kernels of other languages, it is ErrNotPython.
func (m *Manager) Variables(ctx context.Context, id, filter string) ([]catalog.Variable, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return []catalog.Variable{}, err
	}
	return r.variables(ctx, filter)
}

func (r *recorder) variables(ctx context.Context, filter string) ([]catalog.Variable, error) {
	call := "variables(ns, " + quote(filter) + ", " + strconv.Itoa(maxVariables) + ")"
	vs := []catalog.Variable{}
	err := r.ask(ctx, oversight.ReadVariables, expression(variablesSource, call), &vs)
	return vs, err
}

// ask evaluates a Python expression whose value is an Answer, and decodes it into into.
// It does that in every mode, because why is an exemption.
func (m *Manager) ask(ctx context.Context, id string, why oversight.Exemption, expr string, into any) error {
	r, err := m.joined(ctx, id)
	if err != nil {
		return err
	}
	return r.ask(ctx, why, expr, into)
}

// ask evaluates an expression in a shell that is free. It asks again if the kernel restarts
// before it answers: who asks learns of the restart from the result.
func (r *recorder) ask(ctx context.Context, why oversight.Exemption, expr string, into any) error {
	for {
		err := r.evaluate(ctx, why, expr, r.busy(), into)
		if !errors.Is(err, jupyter.ErrKernelRestarted) || ctx.Err() != nil {
			return err
		}
	}
}

// evaluate is ask that says whether to evaluate beside what the main shell runs.
func (r *recorder) evaluate(ctx context.Context, why oversight.Exemption, expr string, subshell bool, into any) error {
	if !slices.Contains(oversight.Exempt, why) {
		return fmt.Errorf("%w: %s", oversight.ErrUnasked, why)
	}
	if lang := r.conn.Info().Language; lang != "" && !strings.EqualFold(lang, "python") {
		return fmt.Errorf("%w: its language is %s", ErrNotPython, lang)
	}
	const key = "easel"
	results, err := r.conn.Evaluate(ctx, jupyter.Evaluation{
		Expressions: map[string]string{key: expr}, Subshell: subshell,
	})
	if err != nil {
		return err
	}
	result := results[key]
	if result.Status == "error" {
		return fmt.Errorf("the kernel could not answer: %s: %s", result.Ename, mimebundle.Plain(result.Evalue))
	}
	text := mimebundle.Text(result.Data, answerMIME)
	if text == "" {
		return errors.New("the kernel gave no answer")
	}
	return json.Unmarshal([]byte(text), into)
}

// busy reports whether the main shell of the kernel is busy or not available.
func (r *recorder) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown != nil || r.phase.status() != "idle"
}
