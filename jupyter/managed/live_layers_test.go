package managed

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/jupyter"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// probeWheels makes two versions of a package with a program, and returns pip's options to find them.
func probeWheels(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, version := range []string{"1", "2"} {
		f, err := os.Create(filepath.Join(dir, "easel_probe-"+version+"-py3-none-any.whl"))
		require.NoError(t, err)
		z, info := zip.NewWriter(f), "easel_probe-"+version+".dist-info/"
		for name, text := range map[string]string{
			"easel_probe.py":          fmt.Sprintf("def main(): print(%q)\n", "program "+version),
			info + "METADATA":         "Metadata-Version: 2.1\nName: easel-probe\nVersion: " + version + "\n",
			info + "WHEEL":            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
			info + "entry_points.txt": "[console_scripts]\neasel-probe = easel_probe:main\n",
			info + "RECORD":           "easel_probe.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "entry_points.txt,,\n" + info + "RECORD,,\n",
		} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		require.NoError(t, f.Close())
	}
	return "--no-index --find-links " + dir
}

// seeing defines probes, which returns the version of the package in a kernel and in all kinds of
// processes that it starts.
const seeing = `
import importlib.metadata, multiprocessing, os, shutil, subprocess, sys
def version(name="easel-probe"):
    try: return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError: return ""
def probes():
    def said(*argv):
        return subprocess.run(argv, capture_output=True, text=True).stdout.strip()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spawned = pool.apply(importlib.metadata.version, ("easel-probe",))
    return [version(), spawned, said(sys.executable, "-c", "import importlib.metadata as m; print(m.version('easel-probe'))"), said("easel-probe"),
            said("python", "-c", "import easel_probe; easel_probe.main()")]
`

func TestLiveLayers(t *testing.T) {
	j, s := shared(t)
	options := probeWheels(t)
	site, err := j.dir.sitePackages()
	require.NoError(t, err)
	before := names(t, site)
	one, _ := startKernel(t, s)
	two, _ := startKernel(t, s)
	var got []string
	eval(t, s, one, seeing+"from IPython.utils.capture import capture_output\nwith capture_output() as c: get_ipython().run_line_magic('pip', 'install "+options+" easel-probe==1')",
		"[c.stdout]", &got)
	if !strings.Contains(got[0], "Installed for this session only. To keep it for all, in a terminal: easel env add easel-probe==1") {
		t.Errorf("%%pip says %q", got[0])
	}
	eval(t, s, two, seeing+"with open(os.devnull, 'w') as null: subprocess.run('pip install "+options+" easel-probe==2', shell=True, stdout=null)", "probes()", &got)
	if diff := cmp.Diff([]string{"2", "2", "2", "program 2", "program 2"}, got); diff != "" {
		t.Errorf("a session that has used pip sees (-want +got):\n%s", diff)
	}
	ones := []string{"1", "1", "1", "program 1", "program 1"}
	eval(t, s, one, "", "probes()", &got)
	if diff := cmp.Diff(ones, got); diff != "" {
		t.Errorf("a session that has used %%pip sees (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, names(t, site)); diff != "" {
		t.Errorf("Easel's environment has changed (-before +after):\n%s", diff)
	}

	k := follow(t, s, one)
	if _, err := s.RestartKernel(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, k.Probe(t.Context()))
	eval(t, s, one, seeing, "probes()", &got)
	if diff := cmp.Diff(ones, got); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}

	// A check uses the layer of another kernel.
	m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: "python3", LayerOf: one})
	require.NoError(t, err)
	eval(t, s, m.ID, seeing, "[version(), os.environ['VIRTUAL_ENV']]", &got)
	if want := []string{"1", filepath.Join(j.dir.layers(), one)}; m.Name != "python3" || !cmp.Equal(got, want) {
		t.Errorf("%s sees %q, want %q", m.Name, got, want)
	}
	require.NoError(t, s.DeleteKernel(t.Context(), m.ID))
	three, _ := startKernel(t, s)
	eval(t, s, three, seeing, "[version()]", &got)
	if got[0] != "" {
		t.Errorf("a third session sees version %q", got[0])
	}
	eval(t, s, one, "", "probes()", &got) // it still has its own
	require.NoError(t, s.DeleteKernel(t.Context(), one))
	waitFor(t, "the end of its layer", func() bool { return !there(filepath.Join(j.dir.layers(), one)) })
	if !there(filepath.Join(j.dir.layers(), two)) {
		t.Error("the layer of another session is gone, too")
	}
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range found {
		list = append(list, f.Name())
	}
	return list
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestLiveWhichKernelsHaveALayer checks Easel's Python in a project, and a kernel of another Python.
func TestLiveWhichKernelsHaveALayer(t *testing.T) {
	j, main := shared(t)
	p := j.ForProject(projectFolder(t, "layers"), nil)
	left := filepath.Join(p.supervisor.files.layers(), "left", "lib")
	require.NoError(t, os.MkdirAll(left, 0o700))
	s := startProject(t, p)
	waitFor(t, "the removal of what a crash has left", func() bool { return !there(filepath.Dir(left)) })

	const asked = "[os.environ.get('VIRTUAL_ENV', ''), sys.prefix, os.path.dirname(shutil.which('python'))]"
	var got []string
	m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: EaselKernel})
	require.NoError(t, err)
	layer := filepath.Join(p.supervisor.files.layers(), m.ID)
	eval(t, s, m.ID, "import os, shutil, sys", asked, &got)
	if want := []string{layer, layer, filepath.Join(layer, "bin")}; !cmp.Equal(got, want) {
		t.Errorf("Easel's Python in a project has %q, want %q", got, want)
	}

	put(t, filepath.Join(j.dir.file("data"), "kernels", "other", "kernel.json"), fmt.Sprintf(
		`{"argv": [%q, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Other", "language": "python"}`, os.Getenv("EASEL_TEST_PYTHON")))
	if m, err = main.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: "other"}); err != nil {
		t.Fatal(err)
	}
	eval(t, main, m.ID, "import os, shutil, sys", asked, &got)
	if got[0] != "" || strings.HasPrefix(got[1], j.dir.root) || got[2] == filepath.Dir(j.dir.python()) {
		t.Errorf("another Python has %q", got)
	}
}
