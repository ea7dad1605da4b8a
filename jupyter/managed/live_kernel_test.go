package managed

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// figures draws common kinds of figures, and returns a digest of each picture in each
// format.
const figures = `
import hashlib, io, warnings
import numpy as np, matplotlib, matplotlib.pyplot as plt, seaborn as sns

def digests(draw):
    out = []
    for kind, meta in ("png", {}), ("svg", {"Date": None}), ("pdf", {"CreationDate": None}):
        matplotlib.rcdefaults(); matplotlib.rcParams["svg.hashsalt"] = "x"
        fig = plt.figure(); draw(); f = io.BytesIO()
        fig.savefig(f, format=kind, metadata=meta); plt.close("all")
        out.append(hashlib.sha256(f.getvalue()).hexdigest())
    return out

x = np.linspace(0, 9, 50)
def line(): plt.plot(x, np.sin(x), label="sin"); plt.legend(); plt.title("Latin äöü – “quoted” αβγ")
def formula(): plt.plot(x, x**2); plt.xlabel(r"$\alpha_i > \beta^2$ and $\frac{a}{b}$"); plt.title("AV To fi", weight="bold", style="italic")
def serif(): plt.rcParams["font.family"] = "serif"; plt.text(.1, .5, "Serif ffl", rotation=30)
def themed(): sns.set_theme(); sns.histplot(x); plt.title("seaborn")
def image(): plt.imshow(np.outer(x, x)); plt.colorbar(); plt.text(.5, .5, "a\nb", family="monospace")
def svgtext(): plt.rcParams["svg.fonttype"] = "none"; plt.rcParams["pdf.fonttype"] = 42; plt.text(.1, .5, "text")
def unknown(): plt.title("nobody has \ue000")
def tell():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        d = [digests(f) for f in (line, formula, serif, themed, image, svgtext, unknown)]
    return [d, [str(w.message) for w in caught if "Glyph" in str(w.message)], plt.rcParams["font.family"],
            sorted(matplotlib.font_manager.fontManager.get_font_names())]
`

const japanese = `
import io, logging, warnings
import matplotlib, matplotlib.pyplot as plt, seaborn as sns
matplotlib.rcdefaults()
said = []
class Keep(logging.Handler):
    def emit(self, record): said.append(record.getMessage())
logging.getLogger("matplotlib").addHandler(Keep())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for style in "default", "ggplot", "seaborn":
        sns.set_theme() if style == "seaborn" else plt.style.use(style)
        fig, ax = plt.subplots()
        ax.set_title("日本語の題 Temperature (°C)")
        ax.set_xlabel("時間 [秒]", family="serif", weight="bold")
        ax.set_ylabel(r"速度 $v_{\mathrm{最大}}$")
        for kind in "png", "svg", "pdf":
            fig.savefig(io.BytesIO(), format=kind)
        plt.close(fig)
said += [str(w.message) for w in caught]
`

// fallbackFont returns a font with Japanese characters: Easel's own, which main passes,
// too.
func fallbackFont(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.FromSlash("../../assets/fonts/*.otf"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no font in assets: %v", err)
	}
	path, err := filepath.Abs(slices.MaxFunc(found, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) }))
	require.NoError(t, err)
	return path
}

func TestLivePlots(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)

	t.Run("Japanese has no missing glyphs, whatever the style", func(t *testing.T) {
		var said []string
		eval(t, s, id, japanese, "[m for m in said if 'lyph' in m]", &said)
		if len(said) > 0 {
			t.Errorf("matplotlib says %q", said)
		}
	})
	t.Run("pictures without it are those of a matplotlib that knows no Easel", func(t *testing.T) {
		// A stock kernel uses the same interpreter without our variable.
		stock := "import subprocess, sys, os, json\n" +
			"env = {k: v for k, v in os.environ.items() if k not in ('EASEL_PLOT_FONTS', 'MPLBACKEND')}\n" +
			"out = subprocess.run([sys.executable, '-c', figures + '\\nimport json; print(json.dumps(tell()))'], env=env, capture_output=True, text=True)\n" +
			"assert out.returncode == 0, out.stderr"
		var want, got any
		eval(t, s, id, "figures = r'''"+figures+"'''\n"+stock, "json.loads(out.stdout)", &want)
		eval(t, s, id, figures, "tell()", &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stock and ours differ (-stock +ours):\n%s", diff)
		}
	})
}

// titled draws figures and returns the titles that are reported for them, for each
// format.
const titled = `
import matplotlib.pyplot as plt, pandas as pd, seaborn as sns
from matplotlib_inline.backend_inline import set_matplotlib_formats

def told(fig):
    out = []
    for kinds in ["png"], ["svg"], ["jpeg"], ["retina"], ["svg", "png"]:
        set_matplotlib_formats(*kinds)
        _, metadata = get_ipython().display_formatter.format(fig)
        out.append({m["easel"]["title"] if "easel" in m else "" for m in metadata.values()} or {""})
    set_matplotlib_formats("png")
    plt.close("all")
    assert all(o == out[0] for o in out), out
    return out[0].pop()

def one(draw):
    draw()
    return told(plt.gcf())

def several(*names):
    fig, axes = plt.subplots(1, len(names))
    for ax, name in zip(axes, names): ax.set_title(name)
    return fig

def parts():
    fig = plt.figure()
    a, b = fig.subfigures(1, 2)
    a.subplots(); a.suptitle("left")
    b.subplots().set_title("right")
    return fig

def both():
    fig = several("a", "b")
    fig.suptitle("both")
    return fig

frame = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": ["x", "y"]})
titles = [told(plt.subplots()[0])] + [one(lambda: plt.title(f"{m} 月の売上")) for m in range(3)] + [
    told(both()), told(several("a", "b")), told(several("same", "same")), told(several(*"abcdef")), told(parts()),
    one(lambda: frame.plot(title="pandas")), one(lambda: frame.hist()), one(lambda: sns.lineplot(x=[1], y=[1]).set_title("sea")),
    told(sns.relplot(data=frame, x="a", y="b", col="c").figure), one(lambda: plt.title("at the left", loc="left")),
    one(lambda: plt.title("two\nlines")),
]
`

func TestLiveFiguresTellTheirTitles(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	want := []string{
		"", "0 月の売上", "1 月の売上", "2 月の売上", "both", "a · b", "same", "a · b · c · d · +2", "left · right",
		"pandas", "a · b", "sea", "c = x · c = y", "at the left", "two lines",
	}
	var got []string
	eval(t, s, id, titled, "titles", &got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLiveIsolation(t *testing.T) {
	bad := t.TempDir()
	put := func(dir, name, text string) string {
		t.Helper()
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return dir
	}
	j, _ := live(t)
	t.Setenv("JUPYTER_CONFIG_DIR", put(filepath.Join(bad, "config"), "jupyter_server_config.py", "raise SystemExit('the user\\'s config was read')"))
	t.Setenv("IPYTHONDIR", filepath.Join(bad, "ipython"))
	put(filepath.Join(bad, "ipython", "profile_default", "startup"), "00.py", "import os; os._exit(3)")
	t.Setenv("PYTHONPATH", put(filepath.Join(bad, "path"), "numpy.py", "raise ImportError('the user\\'s path was used')"))
	t.Setenv("MPLBACKEND", "TkAgg")
	t.Setenv("EASEL_TOKEN", "secret-of-easel")
	t.Setenv("JUPYTER_TOKEN", "secret-of-another")
	put(filepath.Join(bad, "data", "kernels", "mine"), "kernel.json",
		`{"argv": ["true", "{connection_file}"], "display_name": "Mine", "language": "python"}`)
	put(filepath.Join(bad, "data", "kernels", "python3"), "kernel.json",
		`{"argv": ["false", "{connection_file}"], "display_name": "Not ours", "language": "python"}`)
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(bad, "data"))
	// The essential settings take precedence over a configuration file that the server
	// reads.
	put(j.dir.file("config"), "jupyter_server_config.py",
		"c.ServerApp.ip = '0.0.0.0'\nc.IdentityProvider.token = ''\nc.ServerApp.base_url = '/elsewhere'\nc.ZMQChannelsWebsocketConnection.limit_rate = True")

	s := start(t, j)
	id, _ := startKernel(t, s)
	var got []string
	eval(t, s, id, "import sys, os, numpy, matplotlib", `[matplotlib.get_backend(), sys.prefix, os.environ.get("EASEL_TOKEN", ""),
		os.environ.get("JUPYTER_TOKEN", ""), os.environ["PATH"].split(os.pathsep)[0]]`, &got)
	layer := filepath.Join(j.dir.layers(), id)
	want := []string{"inline", layer, "", "", filepath.Join(layer, "bin")}
	if len(got) > 0 {
		got[0] = strings.TrimPrefix(got[0], "module://matplotlib_inline.backend_")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in the kernel (-want +got):\n%s", diff)
	}
	specs, err := s.KernelSpecs(t.Context())
	require.NoError(t, err)
	if specs.Specs["mine"].DisplayName != "Mine" || specs.Specs["python3"].DisplayName == "Not ours" {
		t.Errorf("kernels %+v: want the user's beside ours, not in its place", specs.Specs)
	}
	text, err := os.ReadFile(j.dir.log)
	if err != nil || strings.Contains(string(text), "0.0.0.0") {
		t.Errorf("the log speaks of 0.0.0.0 (%v)", err)
	}
}

func TestLiveKernelsAreReachedPastTheServer(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	if !follow(t, s, id).OwnSockets() {
		t.Error("the server passes the kernel's messages on")
	}
	limit := -1 // of messages that the kernel keeps for a reader that does not read; 0 means no limit
	eval(t, s, id, "", "get_ipython().kernel.iopub_thread.socket.sndhwm", &limit)
	if limit != 0 {
		t.Errorf("a reader that stands still loses what comes after %d messages", limit)
	}
}

// TestLiveKernelsHavePortsOfTheirOwn checks that the system cannot give a kernel's port
// to another program before the kernel uses it. The kernel would fail.
func TestLiveKernelsHavePortsOfTheirOwn(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	const ports = `
import json, ipykernel
ports = [port for name, port in json.load(open(ipykernel.get_connection_file())).items() if name.endswith("_port")]
lowest = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
`
	var n, others int
	eval(t, s, id, ports, "len(set(ports))", &n)
	eval(t, s, id, ports, "sum(port >= lowest for port in ports) if lowest >= 30_000 else 0", &others)
	if n != 5 || others != 0 {
		t.Errorf("of %d ports the system may give away %d", n, others)
	}
}

// TestLiveAGrammarIsMadeWhenSomebodyAsks checks that what serve.py defers is available
// to whoever uses it, in any way.
func TestLiveAGrammarIsMadeWhenSomebodyAsks(t *testing.T) {
	dir, err := filepath.Abs("python")
	require.NoError(t, err)
	python := layout{env: liveEnv(t)}.python()
	for name, asks := range map[string]string{
		"jsonschema":        `f = jsonschema.FormatChecker(); assert f.conforms("https://例え.jp/", "iri") and not f.conforms("<no>", "iri") and f.conforms("a/b", "iri-reference")`,
		"another name":      `from rfc3987_syntax import RFC3987_SYNTAX_TERMS; assert "iri" in RFC3987_SYNTAX_TERMS`,
		"a module below":    `from rfc3987_syntax.syntax_helpers import parse; assert parse("iri", "https://easel.test/")`,
		"a name of no such": `assert not hasattr(sys.modules["rfc3987_syntax"], "nothing")`,
	} {
		t.Run(name, func(t *testing.T) {
			code := `
import sys; sys.path.insert(0, ` + strconv.Quote(dir) + `)
import serve, jsonschema
assert "jsonschema._format" in sys.modules and "lark" not in sys.modules, "it was made for nothing"
` + asks + `
assert "lark" in sys.modules
`
			if out, err := exec.CommandContext(t.Context(), python, "-B", "-c", code).CombinedOutput(); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// TestLiveAListIsThereWhileAKernelStarts covers the moment in which Jupyter's list
// contains a kernel that has no state yet. A request for the list must succeed.
func TestLiveAListIsThereWhileAKernelStarts(t *testing.T) {
	dir, err := filepath.Abs("python")
	require.NoError(t, err)
	code := `
import asyncio, os, sys; sys.path.insert(0, ` + strconv.Quote(dir) + `)
from easel_kept import KeepingKernelManager

class Asked(KeepingKernelManager):
    async def _add_kernel_when_ready(self, *args):
        await super()._add_kernel_when_ready(*args)
        lists.append(self.list_kernels())

async def main():
    id = await manager.start_kernel()
    await manager.shutdown_all(now=True)
    [[listed]] = lists
    assert (listed["id"], listed["execution_state"]) == (id, "starting"), listed

lists = []
manager = Asked(connection_dir=os.getcwd())
asyncio.run(main())
`
	cmd := exec.CommandContext(t.Context(), layout{env: liveEnv(t)}.python(), "-B", "-c", code)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func TestLivePackagesAreInstalledInTheKernelsPython(t *testing.T) {
	j, s := shared(t)
	id, _ := startKernel(t, s)
	wheel := filepath.Join(t.TempDir(), "easel_probe-1.0-py3-none-any.whl")
	require.NoError(t, os.WriteFile(wheel, makeWheel(t), 0o600))
	var where string
	eval(t, s, id, "%pip install --no-index "+wheel+"\nimport easel_probe", "easel_probe.__file__", &where)
	layer := filepath.Join(j.dir.layers(), id)
	if !strings.HasPrefix(where, layer) {
		t.Errorf("%%pip installed to %s, want below %s", where, layer)
	}
	eval(t, s, id, "import shutil; tool = shutil.which('pip')\n%pip uninstall -y easel-probe", "tool", &where)
	if !strings.HasPrefix(where, layer) {
		t.Errorf("!pip is %s, want one below %s", where, layer)
	}
}

func makeWheel(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"easel_probe.py":                     "",
		"easel_probe-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: easel-probe\nVersion: 1.0\n",
		"easel_probe-1.0.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"easel_probe-1.0.dist-info/RECORD":   "easel_probe.py,,\neasel_probe-1.0.dist-info/METADATA,,\neasel_probe-1.0.dist-info/WHEEL,,\neasel_probe-1.0.dist-info/RECORD,,\n",
	} {
		w, err := z.Create(name)
		require.NoError(t, err)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// keeping draws a figure and tells what the kernel keeps of it.
const keeping = `
import matplotlib.pyplot as plt, warnings, sys
names = set(globals())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    plt.plot([1, 2]); plt.title("\ue000"); plt.show()
keeper = sys.modules["easel_figures"].keeper
told = [len(keeper.figures), sorted(n for n in set(globals()) - names if "easel" in n),
        all("pylabtools" in w.filename for w in caught if "Glyph" in str(w.message)), len(caught) > 0]
`

func TestLiveKernelsKeepTheirFigures(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	var got []any
	eval(t, s, id, keeping, "told", &got)
	if diff := cmp.Diff([]any{1.0, []any{}, true, true}, got); diff != "" {
		t.Errorf("figures, names, warnings of the same place (-want +got):\n%s", diff)
	}
}
