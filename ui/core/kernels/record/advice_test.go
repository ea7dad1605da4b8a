package record

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, kind, message, want string }{ // want "" is none
		{"python", "ModuleNotFoundError", "No module named 'cv2'", "%pip install opencv-python-headless"},
		{"python", "ModuleNotFoundError", "No module named 'sklearn'", "%pip install scikit-learn"},
		{"", "ModuleNotFoundError", "No module named 'PIL'", "%pip install pillow"},
		{"python", "ModuleNotFoundError", "No module named 'dateutil'", "%pip install python-dateutil"},
		{"python", "ModuleNotFoundError", "No module named 'Crypto'", "%pip install pycryptodome"},
		{"python", "ModuleNotFoundError", "No module named 'great_tables'", "%pip install great-tables"},
		{"python", "ModuleNotFoundError", "No module named 'mpl_toolkits.basemap'", "%pip install basemap"},
		{"python", "ModuleNotFoundError", "No module named 'distutils'", "%pip install setuptools"},
		{"python", "ModuleNotFoundError", "No module named 'scipy.nothing'", ""},
		{"python", "ModuleNotFoundError", "No module named 'analysis.x'; 'analysis' is not a package", ""},
		{"python", "ModuleNotFoundError", "No module named '_sqlite3'", ""},
		{"python", "ModuleNotFoundError", "No module named 'utils'", "sys.path"},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: 'raw/q3.csv'", "directory, /home/ada/work."},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: '/mnt/q3.csv'", ""},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: '~/q3.csv'", "expanduser"},
		{"python", "FileNotFoundError", "q3.parquet does not exist.", "/home/ada/work"},
		{"python", "KeyError", "'q3'", ""},
		{"julia", "ModuleNotFoundError", "No module named 'cv2'", ""},
		{"r", "ERROR", "Error in library(sf): there is no package called ‘sf’\n", `install.packages("sf")`},
		{"r", "ERROR", "Error: 'q3.csv' does not exist in current working directory ('/x').", "list.files()"},
		{"r", "ERROR", "Error in file(file, \"rt\"): cannot open the connection", "/home/ada/work"},
		{"r", "ERROR", "Error: object 'q3' not found", ""},
	} {
		got := failedRun{
			Error:    &catalog.ExecutionError{Code: catalog.CodeExecution, Type: c.kind, Message: c.message},
			language: c.language, folder: func() string { return "/home/ada/work" },
		}.advice()
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
	program := failedRun{
		Error: &catalog.ExecutionError{
			Code: catalog.CodeExecution, Type: "FileNotFoundError", Message: "[Errno 2] No such file or directory: 'uv'",
			Traceback: "File subprocess.py:1950, in Popen._execute_child(self, args, executable, …)",
		},
		language: "python", folder: func() string { return "/home/ada/work" },
	}.advice()
	if !strings.Contains(program, "no program uv") {
		t.Errorf("for a missing program: %q", program)
	}
	unknown := failedRun{
		Error:    &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "FileNotFoundError", Message: "[Errno 2] No such file or directory: 'x'"},
		language: "python", folder: func() string { return "" },
	}.advice()
	if unknown != adviseWhere {
		t.Errorf("in an unknown place: %q", unknown)
	}
	if got := (failedRun{}).advice(); got != "" {
		t.Errorf("without an error: %q", got)
	}
}
