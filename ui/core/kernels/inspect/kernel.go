package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"easel/jupyter"
	"easel/ui/core/mimebundle"
	"easel/ui/core/oversight"
)

// ErrNotPython is the error of a question to a kernel of another language.
var ErrNotPython = errors.New("not a Python kernel")

// A Kernel evaluates Easel's own Python expressions. They are those of [Expression], and their
// values are decoded into a variable. The user is not asked whether they may run, because why is
// an exemption.
type Kernel interface {
	// Ask evaluates an expression in a shell that is free. It asks again if the kernel restarts
	// before it answers.
	Ask(ctx context.Context, why oversight.Exemption, expr string, into any) error
	// Evaluate evaluates an expression once, in a subshell or in the main shell.
	Evaluate(ctx context.Context, why oversight.Exemption, expr string, subshell bool, into any) error
	// Settled reports whether the kernel is idle, or becomes so at once because no code runs.
	Settled(ctx context.Context) bool
}

// variablesSource is the code that describes variables. It runs as a user_expression of a
// silent request, so it changes no counter, no name and no history.
//
//go:embed variables.py
var variablesSource string

// answerMIME is the MIME type of the results of Easel's own code in a kernel.
const answerMIME = "application/vnd.easel.answer"

// asideSource keeps a request in a subshell from displaying the figures that the main shell draws.
// Kernels that Easel starts have easel_aside.py instead, but those of the user's own servers have
// no module of Easel's.
//
//go:embed aside.py
var asideSource string

// apartSource gives what a request itself prints a parent of its own, so that the rest is known to be
// the output of threads.
//
//go:embed apart.py
var apartSource string

// beside runs asideSource. It leaves no name in the user's namespace.
var beside = fmt.Sprintf("(lambda b: b.exec(b.compile(%s, '<easel>', 'exec'), {'__name__': 'easel'}))(__import__('builtins'))\n", Quote(asideSource))

// Expression returns a single Python expression that runs the code that describes variables and
// sources, which define functions, and then call, which uses them. It leaves no name in the user's namespace.
func Expression(call string, sources ...string) string {
	return fmt.Sprintf(
		"(lambda b, ns, g: (b.exec(b.compile(%s, '<easel>', 'exec'), g), b.eval(%s, g, {'ns': ns}))[1])(__import__('builtins'), globals(), {'__name__': 'easel', 'MIME': %s})",
		Quote(apartSource+variablesSource+strings.Join(sources, "")), Quote("Answer("+call+")"), Quote(answerMIME))
}

// Quote returns s as a Python string literal. Python understands the escapes of JSON.
func Quote(s string) string {
	raw, _ := json.Marshal(s) // cannot fail for a string
	return string(raw)
}

// quiet are the questions that run none of the user's code, so that they print nothing: what comes
// meanwhile is the output of threads.
var quiet = []oversight.Exemption{
	oversight.ReadEnvironment, oversight.ReadVariables, oversight.ReadDataFrame, oversight.KeepFigures, oversight.FindFont,
}

// Evaluate is [Kernel].Evaluate by a connection.
func Evaluate(ctx context.Context, conn *jupyter.Kernel, why oversight.Exemption, expr string, subshell bool, into any) error {
	if !slices.Contains(oversight.Exempt, why) {
		return fmt.Errorf("%w: %s", oversight.ErrUnasked, why)
	}
	if info := conn.Info(); !info.Python() {
		return fmt.Errorf("%w: its language is %s", ErrNotPython, info.Language)
	}
	const key = "easel"
	results, err := conn.Evaluate(ctx, jupyter.Evaluation{
		Expressions: map[string]string{key: expr}, Subshell: subshell, Beside: beside,
		Quiet: conn.Info().Subshells || slices.Contains(quiet, why), // ipykernel 7 has subshells; see apart.py
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
