package pycode

import (
	"fmt"
	"testing"
)

func TestLeaveOutInstalls(t *testing.T) {
	for _, c := range []struct{ code, rest, left string }{
		{"import six\n%pip install -q six\nsix", "import six\npass\nsix", "[{2 %pip install -q six}]"},
		{"!pip install a && echo b", "pass", "[{1 !pip install a && echo b}]"},
		{"!{sys.executable} -m pip install a", "pass", "[{1 !{sys.executable} -m pip install a}]"},
		{"!python3.12 -m pip --no-cache-dir install a\n!uv add b\n!uv pip install c", "pass\npass\npass", "[{1 !python3.12 -m pip --no-cache-dir install a} {2 !uv add b} {3 !uv pip install c}]"},
		{"%uv pip install d\n%conda install -y e\n!/opt/bin/micromamba install f", "pass\npass\npass", "[{1 %uv pip install d} {2 %conda install -y e} {3 !/opt/bin/micromamba install f}]"},
		{"if True:\n    !pip install a\nx", "if True:\n    pass\nx", "[{2 !pip install a}]"},
		{"!pip install a \\\n  b\nx", "pass\n\nx", "[{1 !pip install a \\}]"},
		{"%pip list\n!pip show a\n!uv --version", "%pip list\n!pip show a\n!uv --version", "[]"},
		{"s = '''\n!pip install a\n'''", "s = '''\n!pip install a\n'''", "[]"},
		{"# !pip install a\nprint('!pip install a')", "# !pip install a\nprint('!pip install a')", "[]"},
		{"%%bash\nls\npip install a", "%%bash\nls\n:", "[{3 pip install a}]"},
		{"%%time\n%pip install a\nx", "%%time\npass\nx", "[{2 %pip install a}]"},
		{"\n%%time\nx = 1", "\n%%time\nx = 1", "[]"},
		{"%%pip install a", "pass", "[{1 %%pip install a}]"},
		{"%%writefile a.py\npip install a", "%%writefile a.py\npip install a", "[]"},
		{"%%time", "%%time", "[]"},
		{"!pip install a \\", "pass", "[{1 !pip install a \\}]"},
		{"x = 1", "x = 1", "[]"},
	} {
		rest, left := LeaveOutInstalls(c.code)
		if rest != c.rest || fmt.Sprint(left) != c.left {
			t.Errorf("%q: got %q, %v", c.code, rest, left)
		}
	}
}
