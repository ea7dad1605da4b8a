package pycode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/pycode"
)

// brief writes hints as "kind cell:line what path".
func brief(found []pycode.Hint) (lines []string) {
	for _, f := range found {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %d:%d %s %s", f.Kind, f.Cell, f.Line, f.What, f.Path)))
	}
	return lines
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  []string
	}{
		{"nothing", []string{"import numpy as np\nx = np.linspace(0, 1)\nplt.plot(x)\n'open(\"a\", \"w\")'"}, nil},
		{"writes", []string{
			"with open('out.txt', 'w') as f:\n    f.write('x')",
			"open('in.txt')\ndf.to_csv('a.csv')\ns = df.to_csv()\nj = df.to_json(orient='records')",
			"from pathlib import Path\nPath('b.txt').write_text('x')\nPath('c.txt').read_text()\nPath('d').open('a')",
			"import os, shutil as sh\nos.remove('x')\nsh.rmtree('y')\nfig.savefig('plot.png')\nfig.savefig(buf)",
		}, []string{
			"writes 0:1 open out.txt", "reads 1:1 open in.txt", "writes 1:2 df.to_csv a.csv",
			"writes 2:2 Path.write_text b.txt", "reads 2:3 Path.read_text c.txt", "writes 2:4 Path.open d",
			"writes 3:2 os.remove x", "writes 3:3 sh.rmtree y", "writes 3:4 fig.savefig plot.png",
		}},
		{"another directory", []string{
			"open('a.csv')\nimport os\nos.chdir('data')\nopen('b.csv')\nopen('/c.csv')",
			"open('d.csv')\n%cd ../more\nopen('e.csv')\nopen('f.csv', 'w')",
			"from os import chdir\nopen('g.csv')\nchdir(where)\nopen('h.csv')\nopen('i.csv', 'w')", "%cd /abs\nopen('j.csv')\n%cd -\nopen('k.csv')",
			"os.chdir(os.path.dirname('x'))\nopen('l.csv')",
		}, []string{
			"reads 0:1 open a.csv", "reads 0:4 open data/b.csv", "reads 0:5 open /c.csv", "reads 1:1 open data/d.csv", "reads 1:3 open more/e.csv",
			"writes 1:4 open more/f.csv", "reads 2:2 open more/g.csv", "reads 2:4 open", "writes 2:5 open i.csv", "reads 3:2 open /abs/j.csv", "reads 3:4 open",
			"reads 4:2 open",
		}},
		{"network", []string{
			"import requests as r\nfrom urllib.request import urlopen\nr.get('http://a')\nurlopen('http://b')",
			"pd.read_csv('https://c/d.csv')\n%pip install x\nsns.load_dataset('tips')",
		}, []string{
			"network 0:3 r.get http://a", "network 0:4 urlopen http://b",
			"network 1:1 pd.read_csv https://c/d.csv", "network 1:2 %pip install x", "network 1:3 sns.load_dataset tips",
		}},
		{"shell", []string{
			"from subprocess import run\nrun(['ls'])\nos.system('ls')\n!rm -r x\nfiles = !ls",
			"%%bash\nrm x", "get_ipython().system('ls')", "%%time\n!ls",
		}, []string{
			"shell 0:2 run", "shell 0:3 os.system", "shell 0:4 !rm -r x", "shell 0:5 !ls",
			"shell 1:1 %%bash", "shell 2:1 get_ipython.system", "shell 3:2 !ls",
		}},
		{"random", []string{
			"import numpy as np, random\nnp.random.rand(3)\nrandom.random()\nrng = np.random.default_rng()\ndf.sample(5)",
			"np.random.seed(1)\nnp.random.rand(3)\ndf.sample(5)\nrandom.random()",
			"rng = np.random.default_rng(7)\nrng.normal()\nsns.barplot(df)\nsns.barplot(df, seed=1)",
		}, []string{
			"random 0:2 np.random.rand", "random 0:3 random.random", "random 0:4 np.random.default_rng", "random 0:5 df.sample",
			"random 1:4 random.random", "random 2:3 sns.barplot",
		}},
		{"clock", []string{"from datetime import datetime\nimport time\ndatetime.now()\ntime.time()\npd.Timestamp.now()\ntime.sleep(1)"}, []string{
			"clock 0:3 datetime.now", "clock 0:4 time.time", "clock 0:5 pd.Timestamp.now",
		}},
		{"reads", []string{"pd.read_csv('data.csv', sep=';')\npl.scan_parquet('x.parquet')\nnp.load(path)\npd.read_sql('select 1', con)"}, []string{
			"reads 0:1 pd.read_csv data.csv", "reads 0:2 pl.scan_parquet x.parquet", "reads 0:3 np.load",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := brief(pycode.Hints(c.cells)); !slices.Equal(got, c.want) {
				t.Errorf("Hints:\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzHints checks that no code makes Hints panic.
func FuzzHints(f *testing.F) {
	f.Add("%%time\nopen('a','w')")
	f.Add("x = !")
	f.Add("from a import (b as c,\n d)\nimport")
	f.Fuzz(func(t *testing.T, code string) {
		for _, found := range pycode.Hints([]string{code, code}) {
			if found.Line < 1 || found.What == "" {
				t.Errorf("hint without a place: %+v", found)
			}
		}
	})
}
