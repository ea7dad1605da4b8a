package activity

import (
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2/test"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestTheWholeLogIsWritten as lines and as a report, of the session in the top bar and of all.
func TestTheWholeLogIsWritten(t *testing.T) {
	w, tab := aWeek(t, func(s *state.Snapshot) { s.Settings.Language = "ja" })
	w.saveAs = t.TempDir()
	session := uitest.SessionID(0)
	w.dock.session = session
	stamp := "-" + w.k.Now().Local().Format("20060102-1504")
	for label, want := range map[string]command.WriteLogIn{
		"すべての記録を保存（JSON Lines）…": {To: "easel-log" + stamp + ".jsonl"},
		"全セッションのレポート（HTML）…":     {To: "easel-log" + stamp + ".html", Report: true, Thumbnails: true},
		"「analysis」のレポート（HTML）…": {To: "analysis" + stamp + ".html", Report: true, Thumbnails: true, Session: session},
	} {
		test.Tap(tab.filter.save)
		w.choose(label)
		want.To, want.Language = filepath.Join(w.saveAs, want.To), "ja"
		if w.wrote != want {
			t.Errorf("%s: %+v, want %+v", label, w.wrote, want)
		}
		w.hasSaid("3 件を保存しました：" + filepath.Base(want.To) + " · 機密情報 1 件を隠しました")
	}
	for name, want := range map[string]string{"a/b\\c:*?\"<>|\x00d": "a-b-c--------d", " .. ": "easel-log", "売上.ipynb": "売上.ipynb"} {
		if got := plain(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
