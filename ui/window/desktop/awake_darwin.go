package desktop

import "context"

// KeepAwake returns ErrNoProgram.
func KeepAwake(context.Context, string) error { return ErrNoProgram }
