package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/mattn/go-isatty"

	"easel/mcphost/catalog"
	"easel/mcphost/handover"
	"easel/mcphost/instance"
	"easel/ui/core/command"
	"easel/ui/core/settings"
	"easel/ui/window/asking"
	"easel/ui/window/i18n"
)

// questions carries out the command questions for another process.
func (e *easel) questions(ctx context.Context, in command.TerminalRequest) ([]command.TerminalQuestion, error) {
	switch {
	case in.Answer != nil:
		in.Answer.Where = catalog.InTerminal
		_, err := catalog.AnswerQuestion.Ask(ctx, e.bus, *in.Answer)
		return nil, err
	case in.Wait:
		return e.AwaitQuestions(ctx, in.Known), nil
	default:
		return e.Questions(), nil
	}
}

// runQuestions shows the questions of assistants in the terminal, and lets the user answer them.
func runQuestions(ctx context.Context, o settings.Options) error {
	r, err := instance.Find(ctx, o.DataDir)
	switch {
	case err != nil:
		return fmt.Errorf("no Easel runs with %s: %w", o.DataDir, err)
	case r.Handover == "":
		return fmt.Errorf("the Easel that runs (version %s) cannot do that; quit it, then try again", r.Version)
	}
	ask := func(ctx context.Context, in command.TerminalRequest) (open []command.TerminalQuestion, err error) {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		done, err := handover.SendTransfer(ctx, r.Handover, handover.Transfer{Command: &handover.Command{Name: "questions", In: raw}}, nil)
		if err == nil {
			err = json.Unmarshal([]byte(done), &open)
		}
		return open, err
	}
	if o.JSON {
		open, err := ask(ctx, command.TerminalRequest{})
		if err != nil {
			return err
		}
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(open)
	}
	if fd := os.Stdin.Fd(); !isatty.IsTerminal(fd) && !isatty.IsCygwinTerminal(fd) {
		return errors.New("the answers must be typed in a terminal; --json prints the questions")
	}
	return asking.NewTerminal(i18n.New(o.Lang), os.Stdin, os.Stdout, ask).Run(ctx)
}
