package inspect

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"easel/jupyter"
	"easel/ui/core/oversight"
)

//go:embed sources.py
var sourcesSource string

//go:embed wholevalues.py
var wholeValuesSource string

//go:embed ordering.py
var orderingSource string

//go:embed tablecode.py
var tableCodeSource string

//go:embed plainsources.py
var plainSourcesSource string

//go:embed tabledata.py
var tableDataSource string

// tableSource is the code that answers questions about tables. It stays in the kernel as a module,
// which remembers the order of rows, and whose name says which version it is.
var (
	tableSource = variablesSource + dataframeSource + sourcesSource + wholeValuesSource + orderingSource +
		tableCodeSource + plainSourcesSource + tableDataSource
	tableModule = func() string {
		sum := sha256.Sum256([]byte(tableSource))
		return "easel_tables_" + hex.EncodeToString(sum[:4])
	}()
)

// Table asks an idle kernel something about a table. query names the variable and is encoded as JSON; op is
// one of the methods of Query in tabledata.py, or forget. With beside, code that comes meanwhile does not wait,
// if the kernel has subshells. The errors are those of DataFrame, and jupyter.ErrKernelBusy if code runs.
func Table(ctx context.Context, k Kernel, op, name string, beside bool, query, into any) error {
	if !k.Settled(ctx) {
		return jupyter.ErrKernelBusy
	}
	text, err := withOp(op, query)
	if err != nil {
		return err
	}
	var answer json.RawMessage
	err = k.Evaluate(ctx, oversight.ReadDataFrame, Question{
		Task: "show a table", Python: tableExpression(text), Function: "table", Args: []any{text},
	}, beside, &answer)
	switch {
	case errors.Is(err, jupyter.ErrAborted): // code that came before it has failed
		return jupyter.ErrKernelBusy
	case err != nil:
		return err
	}
	var problem struct {
		Missing any    `json:"missing"`
		Wrong   string `json:"wrong"` // the type of a variable that is no table
	}
	if err := json.Unmarshal(answer, &problem); err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	switch {
	case problem.Missing == true:
		return fmt.Errorf("%w: %q", ErrNoVariable, name)
	case problem.Wrong != "":
		return fmt.Errorf("%w: %s is of type %s", ErrNoTable, name, problem.Wrong)
	}
	return json.Unmarshal(answer, into)
}

// withOp returns a query as JSON with the operation.
func withOp(op string, query any) (string, error) {
	raw, err := json.Marshal(query)
	if err != nil {
		return "", err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", err
	}
	fields["op"], _ = json.Marshal(op) // cannot fail for a string
	raw, err = json.Marshal(fields)
	return string(raw), err
}

// tableExpression returns an expression like those of [Expression].
func tableExpression(query string) string {
	return fmt.Sprintf(
		"(lambda s, b, n: (b.exec(b.compile(%s, '<easel>', 'exec'), {'__name__': 'easel'}), (s.modules.get(n) or (lambda m: (m.__dict__.__setitem__('MIME', %s), b.exec(b.compile(%s, '<easel>', 'exec'), m.__dict__), s.modules.__setitem__(n, m), m)[3])(b.type(s)(n))).reply(globals(), %s))[1])"+
			"(__import__('sys'), __import__('builtins'), %s)",
		Quote(apartSource), Quote(answerMIME), Quote(tableSource), Quote(query), Quote(tableModule))
}
