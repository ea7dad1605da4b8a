package pycode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSplitCommands cuts what is dangerous over the cells of a session, which may come from several clients. The last cell must be asked
// about, even if the user has approved those before.
func TestSplitCommands(t *testing.T) {
	for name, cells := range map[string][]string{
		"import, then use":      {"import os as o", "o.remove('a')"},
		"a method kept":         {"import shutil", "tidy = shutil.rmtree", "tidy('data')"},
		"its name from parts":   {"import os", "n = 're' + 'move'", "getattr(os, n)('a')"},
		"a command from parts":  {"c = 'rm '", "c += '-rf x'", "import os", "os.system(c)"},
		"a module by its name":  {"m = 'subpro' + 'cess'", "p = __import__(m)", "p.run(['ls'])"},
		"code from parts":       {"a = 'import os\\n'", "b = \"os.remove('a')\"", "exec(a + b)"},
		"a list of calls":       {"import os", "jobs = [print, os.unlink]", "for j in jobs:\n    j('a')"},
		"a table of calls":      {"import os", "do = {}", "do['x'] = os.unlink", "do['x']('a')"},
		"a class, called later": {"import os\nclass K:\n    def __init__(self, p):\n        os.remove(p)", "K('a')"},
		"a base class":          {"import os\nclass B:\n    def go(self, p):\n        os.remove(p)", "class C(B):\n    pass", "C().go('a')"},
		"an operator":           {"import os\nclass D:\n    def __add__(self, p):\n        os.remove(p)", "d = D()", "d + 'a'"},
		"a decorator":           {"import os\ndef deco(f):\n    os.remove('a')\n    return f", "@deco\ndef calm():\n    return 1"},
		"a context": {
			"import os\nclass X:\n    def __enter__(self):\n        os.remove('a')\n    __exit__ = print", "with X():\n    pass",
		},
		"a replaced function":       {"import os, pandas as pd", "pd.DataFrame.head = lambda self: os.remove('a')", "pd.DataFrame().head()"},
		"a replaced builtin":        {"import os, builtins", "builtins.len = os.remove", "len('a')"},
		"a default":                 {"import os", "def f(p, do=os.remove):\n    do(p)", "f('a')"},
		"a callback":                {"import os", "list(map(os.remove, ['a']))"},
		"the shell of the notebook": {"ip = get_ipython()", "ip.system('rm a')"},
		"a magic from parts":        {"ip = get_ipython()", "k = 'sys' + 'tem'", "getattr(ip, k)('rm a')"},
		"the builtins' table":       {"b = __builtins__", "b.__dict__['ex' + 'ec']('1')"},
		"a subclass":                {"k = ().__class__.__base__.__subclasses__()", "[c for c in k if c.__name__ == 'Popen'][0](['ls'])"},
		"a file, then run":          {"%%writefile x.py\nimport os\nos.remove('a')", "%run x.py"},
		"a pickle":                  {"import pickle", "load = pickle.loads", "load(b'x')"},
		"native code":               {"import ctypes", "c = ctypes.CDLL(None)", "c.system(b'ls')"},
		"a partial":                 {"from functools import partial", "import os", "f = partial(os.remove, 'a')", "f()"},
		"a path":                    {"from pathlib import Path", "p = Path('a')", "q = p", "q.unlink()"},
		"an iterator":               {"import os\ndef gen():\n    os.remove('a')\n    yield 1", "list(gen())"},
		"an attribute":              {"import os\nclass P:\n    @property\n    def size(self):\n        os.remove('a')", "P().size"},
		"unpacked":                  {"import os", "a, b = os.remove, print", "a('x')"},
		"walrus":                    {"import os", "(r := os.remove)", "r('x')"},
		"a lambda":                  {"import os", "z = lambda p: os.remove(p)", "z('a')"},
		"returned":                  {"import os\ndef get():\n    return os.remove", "get()('a')"},
		"a module's table":          {"import sys", "sys.modules['os'].remove('a')"},
		"a module from another":     {"import glob", "glob.os.remove('a')"},
		"wild":                      {"from os import *", "remove('a')"},
	} {
		f, last := follow(t, strings.Join(cells, "\n---\n"))
		assert.NotEmpty(t, f.Risks(last), name+": "+strings.Join(cells, " ⏎ "))
	}
}
