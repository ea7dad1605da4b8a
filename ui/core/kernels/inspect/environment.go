package inspect

import (
	"context"
	_ "embed"
	"fmt"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
)

//go:embed environment.py
var environmentSource string

// An Environment is what a kernel runs in, as it was when the kernel answered.
type Environment struct {
	Key  string `json:"key"`  // differs when anything has changed
	More bool   `json:"more"` // not all packages are known yet
	Host string `json:"host"` // name of the kernel's machine
	catalog.Environment
}

// An Ask is [Kernel].Ask.
type Ask func(ctx context.Context, why oversight.Exemption, q Question, into any) error

// mostAnswers is how often a kernel is asked, because each answer takes little time.
const mostAnswers = 20

// DescribeEnvironment asks a Python kernel what it runs in. known is its last answer, which is
// returned if nothing has changed. The error for a busy kernel without subshells is
// jupyter.ErrKernelBusy.
func DescribeEnvironment(ctx context.Context, ask Ask, known Environment) (Environment, error) {
	for range mostAnswers {
		var said Environment
		q := Question{Task: "read the packages", Python: environmentExpression(known.Key)}
		if err := ask(ctx, oversight.ReadEnvironment, q, &said); err != nil {
			return said, err
		}
		if said.Key != known.Key {
			known = said
		}
		if !known.More {
			break
		}
	}
	return known, nil
}

// environmentExpression returns an expression like those of [Expression]. The code stays in the
// kernel as a module, which remembers what it has found.
func environmentExpression(known string) string {
	return fmt.Sprintf(
		"(lambda s, b, name: (s.modules.get(name) or (lambda m: (b.exec(b.compile(%s, '<easel>', 'exec'), m.__dict__), s.modules.__setitem__(name, m), m)[2])(b.type(s)(name))).answer(globals(), %s, %s))"+
			"(__import__('sys'), __import__('builtins'), 'easel_environment')",
		Quote(environmentSource), Quote(known), Quote(answerMIME))
}
