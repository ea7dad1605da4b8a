package main

import (
	"archive/zip"
	"bytes"
	"debug/macho"
	"encoding/binary"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/settings"
)

func TestHelpIsReadCompletely(t *testing.T) {
	h := readHelp()
	var commands []string
	for _, c := range h.named() {
		commands = append(commands, c.name)
	}
	if got, want := slices.Sorted(slices.Values(commands)), slices.Sorted(slices.Values(settings.Commands)); !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
	if n := strings.Count(settings.Usage, "\n  --"); len(h.flags) != n {
		t.Errorf("%d flags of %d", len(h.flags), n)
	}
	for _, i := range append(h.commands, h.flags...) {
		if i.text == "" || strings.Contains(i.text, "EASEL_") {
			t.Errorf("%+v", i)
		}
	}
	for line := range strings.Lines(settings.Usage) { // the second and later lines of an item
		if text := strings.TrimSpace(line); strings.HasPrefix(line, "        ") &&
			!slices.ContainsFunc(append(h.commands, h.flags...), func(i item) bool { return strings.Contains(i.text, text) }) {
			t.Errorf("%q is missing", text)
		}
	}
	port := h.flags[0]
	if port.name != "--port" || port.argument != "N" || port.variable != "EASEL_PORT" || !strings.HasSuffix(port.text, "next free port)") {
		t.Errorf("%+v", port)
	}
}

func TestManPageAndCompletions(t *testing.T) {
	h, dir := readHelp(), t.TempDir()
	require.NoError(t, writeCompletions(dir, h))
	man := string(manPage(h, time.Unix(0, 0).UTC()))
	texts := map[string]string{"man": strings.ReplaceAll(man, `\-`, "-")}
	for _, name := range []string{"easel.bash", "_easel", "easel.fish"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		texts[name] = strings.ReplaceAll(string(b), " -l ", " --") // fish
	}
	for name, text := range texts {
		for _, i := range append(h.named(), h.flags...) {
			if !strings.Contains(text, i.name) {
				t.Errorf("%s does not name %s", name, i.name)
			}
		}
	}
	script := "source " + filepath.Join(dir, "easel.bash") + `; COMP_WORDS=(easel --lang ""); COMP_CWORD=2; _easel; echo "${COMPREPLY[*]}"
		COMP_WORDS=(easel un); COMP_CWORD=1; _easel; echo "${COMPREPLY[*]}"`
	out, err := exec.CommandContext(t.Context(), "bash", "-euc", script).CombinedOutput()
	if err != nil || string(out) != "en ja\nuninstall\n" {
		t.Errorf("bash: %s, %v", out, err)
	}
}

func TestIcons(t *testing.T) {
	t.Chdir("../..")
	win, err := ico()
	require.NoError(t, err)
	last := win[6+16*5:]
	at, n := binary.LittleEndian.Uint32(last[12:]), binary.LittleEndian.Uint32(last[8:])
	if im, err := png.Decode(bytes.NewReader(win[at : at+n])); err != nil || im.Bounds().Dx() != 256 || int(at+n) != len(win) {
		t.Errorf("ico: %v", err)
	}
	mac, err := icns()
	require.NoError(t, err)
	if string(mac[:4]) != "icns" || binary.BigEndian.Uint32(mac[4:]) != uint32(len(mac)) {
		t.Error("icns: wrong header")
	}
	types := 0
	for rest := mac[8:]; len(rest) > 0; types++ {
		n := binary.BigEndian.Uint32(rest[4:])
		if _, err := png.Decode(bytes.NewReader(rest[8:n])); err != nil {
			t.Errorf("icns: %s: %v", rest[:4], err)
		}
		rest = rest[n:]
	}
	if types != 10 {
		t.Errorf("icns: %d pictures", types)
	}
}

func TestZipIsTheSameTwice(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.MkdirAll(filepath.Join(in, "b"), 0o755))
	for name, mode := range map[string]os.FileMode{"b/c": 0o600, "a": 0o755} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(name), mode))
	}
	var archives []string
	for i, name := range []string{"1.zip", "2.zip"} {
		require.NoError(t, os.Chtimes(filepath.Join(in, "a"), time.Time{}, time.Unix(int64(i), 0)))
		out := filepath.Join(dir, name)
		require.NoError(t, zipDir(out, in, time.Unix(1e9, 0).UTC()))
		b, err := os.ReadFile(out)
		require.NoError(t, err)
		archives = append(archives, string(b))
	}
	if archives[0] != archives[1] {
		t.Error("they differ")
	}
	z, err := zip.OpenReader(filepath.Join(dir, "1.zip"))
	require.NoError(t, err)
	defer z.Close()
	if len(z.File) != 2 || z.File[0].Name != "a" || z.File[0].Mode() != 0o755 || z.File[1].Name != "b/c" || z.File[1].Mode() != 0o644 {
		t.Errorf("files %v", z.File)
	}
}

// TestFat makes a universal program of two empty ones.
func TestFat(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, cpu := range []macho.Cpu{macho.CpuAmd64, macho.CpuArm64} {
		b, err := binary.Append(nil, binary.LittleEndian, macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: macho.TypeExec})
		require.NoError(t, err)
		path := filepath.Join(dir, cpu.String())
		require.NoError(t, os.WriteFile(path, append(b, make([]byte, 4+i)...), 0o600))
		paths = append(paths, path)
	}
	b, err := fat(paths)
	require.NoError(t, err)
	f, err := macho.NewFatFile(bytes.NewReader(b))
	require.NoError(t, err)
	if len(f.Arches) != 2 || f.Arches[0].Cpu != macho.CpuAmd64 || f.Arches[1].Cpu != macho.CpuArm64 || f.Arches[1].Offset%(1<<fatAlign) != 0 {
		t.Errorf("%+v", f.Arches)
	}
	if _, err := fat([]string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing program was accepted")
	}
}
