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
	"easel/ui/core/language"
	"easel/ui/core/mimebundle"
	"easel/ui/core/oversight"
)

// ErrLanguage is the error of a question that Easel cannot ask a kernel in its language.
var ErrLanguage = errors.New("a language in which it cannot be asked")

// ErrCellsOnly is the error of code or a question for the kernel of a notebook in an editor.
var ErrCellsOnly = errors.New("the kernel belongs to an editor, and Easel runs only the cells of its notebook in it")

// A Question is what Easel asks a kernel, in each language in which it can be asked.
type Question struct {
	Task     string // what Easel does with the answer, for an error: "list the variables"
	Python   string // an expression; see [Expression]
	Function string // what [language.Language].Code calls in other languages; "": only Python kernels are asked
	Args     []any  // of Function
}

// A Kernel answers Easel's questions. The answers are decoded into a variable. The user is not asked whether the code
// for them may run, because why is an exemption.
type Kernel interface {
	// Ask asks in a shell that is free. It asks again if the kernel restarts before it answers.
	Ask(ctx context.Context, why oversight.Exemption, q Question, into any) error
	// Evaluate asks once, in a subshell or in the main shell.
	Evaluate(ctx context.Context, why oversight.Exemption, q Question, subshell bool, into any) error
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
func Evaluate(ctx context.Context, conn *jupyter.Kernel, why oversight.Exemption, q Question, subshell bool, into any) error {
	if !slices.Contains(oversight.Exempt, why) {
		return fmt.Errorf("%w: %s", oversight.ErrUnasked, why)
	}
	if conn.Info().CellsOnly {
		return ErrCellsOnly
	}
	if !conn.Info().Python() {
		return evaluateCode(ctx, conn, q, subshell, into)
	}
	text, err := evaluated(ctx, conn, jupyter.Evaluation{
		Expressions: map[string]string{answerKey: q.Python}, Subshell: subshell, Beside: beside,
		Quiet: conn.Info().Subshells || slices.Contains(quiet, why), // ipykernel 7 has subshells; see apart.py
	})
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// Errors of a question that a kernel has not answered. What the kernel says follows them.
var (
	// ErrInterrupted means that an interrupt, for example of code that had just ended, has hit the question.
	ErrInterrupted = errors.New("the kernel was interrupted while it answered")
	// ErrUnanswered means that the kernel has failed to answer, for example because it has no memory left.
	ErrUnanswered = errors.New("the kernel could not answer")
)

// failed is the error of a question that has raised an exception.
func failed(ename, evalue string) error {
	if ename == "KeyboardInterrupt" {
		return ErrInterrupted
	}
	return fmt.Errorf("%w: %s: %s", ErrUnanswered, ename, mimebundle.Plain(evalue))
}

// answerKey is the name of the value that is the answer.
const answerKey = "easel"

// evaluated returns an answer as JSON.
func evaluated(ctx context.Context, conn *jupyter.Kernel, e jupyter.Evaluation) (string, error) {
	results, err := conn.Evaluate(ctx, e)
	if raised, ok := errors.AsType[*jupyter.EvaluationError](err); ok {
		return "", failed(raised.Ename, raised.Evalue)
	}
	if err != nil {
		return "", err
	}
	result := results[answerKey]
	if result.Status == "error" {
		return "", failed(result.Ename, result.Evalue)
	}
	text := mimebundle.Text(result.Data, answerMIME)
	if text == "" {
		return "", fmt.Errorf("%w: its answer is empty", ErrUnanswered)
	}
	return text, nil
}

// evaluateCode is Evaluate for a kernel that is not one of Python: it has no expressions, so code hands over the answer.
// The kernel keeps the functions that the code calls; the first question defines them.
func evaluateCode(ctx context.Context, conn *jupyter.Kernel, q Question, subshell bool, into any) error {
	is := language.Of(conn.Info().Language)
	if !is.Can(q.Function) {
		return fmt.Errorf("%w: Easel cannot %s of a kernel of %s", ErrLanguage, q.Task, is.Name)
	}
	for _, load := range []bool{false, true} {
		text, err := evaluated(ctx, conn, jupyter.Evaluation{
			Code: is.Code(q.Function, load, q.Args...), Page: answerKey, Subshell: subshell, Quiet: true,
		})
		if err != nil {
			return err
		}
		var problem struct {
			Unloaded bool   `json:"unloaded"`
			Error    string `json:"error"`
		}
		if text[0] == '{' {
			if err := json.Unmarshal([]byte(text), &problem); err != nil {
				return err
			}
		}
		switch {
		case problem.Error != "":
			return fmt.Errorf("%w: %s", ErrUnanswered, problem.Error)
		case !problem.Unloaded:
			return json.Unmarshal([]byte(text), into)
		}
	}
	return errors.New("the kernel does not keep what Easel asks it with")
}
