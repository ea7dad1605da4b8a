package tool

import "testing"

func TestMeant(t *testing.T) {
	parameters := []string{"code", "execution_id", "images", "path", "session_id", "timeout", "to", "variable_name", "wait"}
	for given, want := range map[string]string{
		"timeout_seconds": "timeout", "timeoutMs": "timeout", "timout": "timeout", "tiemout": "timeout", "max_wait": "wait",
		"sessionId": "session_id", "session": "session_id", "SESSION-ID": "session_id", "sesion_id": "session_id", "session_name": "session_id",
		"variable": "variable_name", "varable_nme": "variable_name", "file_path": "path", "source_code": "code", "image": "images",
		"folderPath": "path", "folder_path": "path", "source": "code", "kernel": "session_id",
		"wait_for_previous": "", "waitForPreviousTools": "", "toolSummary": "", "explanation": "", "task_progress": "", "reason": "",
		"security_risk": "", "chatInput": "", "": "", "_": "", "日本": "", "t": "", "tag": "", "note": "",
	} {
		if got := meant(given, parameters, map[string]string{"folderPath": "path", "source": "code", "kernel": "session_id"}); got != want {
			t.Errorf("%q is taken for %q, want %q", given, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"", "ab"}: 2, {"abc", "abc"}: 0, {"abc", "acb"}: 1, {"abc", "bca"}: 2, {"日本", "日"}: 1,
	} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d, want %d", pair, got, want)
		}
	}
}

func TestMisspelt(t *testing.T) {
	names := []string{"pandas", "my_package", "data", "PIL"}
	for given, want := range map[string]string{
		"pandsa": "pandas", "my_pakage": "my_package", "mypackage": "my_package", "MyPackage": "my_package", "load_data": "", "pandas": "",
		"pip": "", "dat": "data", "seaborn": "",
	} {
		if got := Misspelt(given, names); got != want {
			t.Errorf("%s: got %q, want %q", given, got, want)
		}
	}
}
