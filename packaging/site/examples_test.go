package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"easel/ui/core/settings"
)

// An example is a code block or a piece of code in a sentence.
type example struct {
	source, language, code string
	whole                  bool // a block
}

func examples(t *testing.T) (all []example) {
	t.Helper()
	for _, source := range markdownFiles(t) {
		text := readSource(t, source)
		_ = ast.Walk(parse(text), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.FencedCodeBlock:
				all = append(all, example{source, string(n.Language(text)), string(n.Lines().Value(text)), true})
			case *ast.CodeSpan:
				all = append(all, example{source, "", plain(n, text), false})
			}
			return ast.WalkContinue, nil
		})
	}
	return all
}

// TestCodeBlocks parses what users copy.
func TestCodeBlocks(t *testing.T) {
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	parsers := map[string]func(code string) error{
		"sh": func(code string) error { return runs(code, "bash", "-n") },
		"python": func(code string) error {
			return runs(code, python, "-c", "import sys; compile(sys.stdin.read(), 'example', 'exec')")
		},
		"json": func(code string) error {
			d := json.NewDecoder(strings.NewReader(code))
			for {
				var value any
				if err := d.Decode(&value); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
	}
	count := map[string]int{}
	for _, e := range examples(t) {
		if parser := parsers[e.language]; e.whole && parser != nil {
			count[e.language]++
			if err := parser(e.code); err != nil {
				t.Errorf("%s: %v in\n%s", e.source, err, e.code)
			}
		}
	}
	if count["sh"] < 10 || count["json"] < 4 {
		t.Errorf("only these blocks were found: %v", count)
	}
}

func runs(input string, name string, args ...string) error {
	cmd := exec.Command(name, args...) //nolint:noctx // ends by itself
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(string(out) + err.Error())
	}
	return nil
}

// TestCommandsOfExamples checks that commands of Easel and targets of make exist, in blocks and in sentences.
func TestCommandsOfExamples(t *testing.T) {
	makefile := string(readSource(t, "Makefile"))
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
	}
	easel, made := 0, 0
	for _, e := range examples(t) {
		if e.whole && e.language != "sh" {
			continue
		}
		for _, words := range commands(e.code) {
			switch words[0] {
			case "easel", "/path/to/easel":
				easel++
				if err := understood(words[1:], e.whole); err != nil {
					t.Errorf("%s: %q: %v", e.source, strings.Join(words, " "), err)
				}
			case "make":
				if len(words) > 1 && !strings.Contains(words[1], "=") {
					made++
					if !slices.Contains(targets, words[1]) {
						t.Errorf("%s: the Makefile has no target %s", e.source, words[1])
					}
				}
			}
		}
	}
	if easel < 40 || made < 40 {
		t.Errorf("only %d commands of Easel and %d of make were found", easel, made)
	}
}

// commands splits shell code into commands without their variables, and these into words.
func commands(code string) (all [][]string) {
	word := regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
	comment := regexp.MustCompile(`(?m)(^|\s)#.*$`)
	for _, line := range regexp.MustCompile(`\n|&&|\|+|;`).Split(comment.ReplaceAllString(code, ""), -1) {
		words := word.FindAllString(line, -1)
		for len(words) > 0 && (words[0] == "$" || words[0] == "sudo" || regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0])) {
			words = words[1:]
		}
		if i := slices.Index(words, ">"); i >= 0 {
			words = words[:i]
		}
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// understood returns the error with which Easel refuses arguments. In a sentence, what the last one is about may be left out.
func understood(args []string, whole bool) error {
	parse := func(args ...string) error {
		_, err := settings.Parse(args, func(name string) string { return map[string]string{"HOME": "/home/ann"}[name] })
		if !errors.Is(err, settings.ErrUsage) {
			return nil // for example, the file does not exist here
		}
		return err
	}
	if len(args) == 1 && args[0] == "kernel-sandbox" {
		return nil // Easel starts this one itself
	}
	for i, arg := range args {
		args[i] = strings.NewReplacer("DIR/picture.png", root+"/docs/images/window.png", "DIR", root+"/docs/images").Replace(arg)
	}
	err := parse(args...)
	if err == nil || whole {
		return err
	}
	for _, more := range []string{"FILE", "NAME=all", "1"} {
		if parse(append(slices.Clone(args), more)...) == nil {
			return nil
		}
	}
	return err
}
