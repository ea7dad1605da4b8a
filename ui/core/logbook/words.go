package logbook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
)

// words are the texts of a report in one language.
type words struct {
	Language                                            string
	Title, Made, Period                                 string
	NoSession, Kernel, Environment, Assistants, You     string
	Code, Sent, Parameters, Received, Plots, Nothing    string
	Ran, Looked, Called, Typed                          string
	Approved, ApprovedAll, ApprovedEdited, Denied, Shut string
	Words, Hidden, Printed, Result                      string
	Inline, Part, Link, Text, Cut, All                  string
	Runs, Failed, Answers, Drew, Calls, Lines           string
	Refused, Died, Shortened, Hid                       string
	Using, May, Line, Because, Asked, Masked, Replaced  string

	Kinds                         []string          // of risks, in the order of riskKinds
	AllowedKinds, About, Statuses map[string]string // by the values of the log
}

func wordsOf(language string) *words {
	if language == "ja" {
		return &japanese
	}
	return &english
}

var english = words{
	Language: "en", Title: "What assistants did", Made: "Written by Easel on", Period: "Period",
	NoSession: "Without a session", Kernel: "Kernel", Environment: "Environment", Assistants: "Who", You: "You",
	Code: "Code", Sent: "What was asked for, before you edited it", Parameters: "Parameters", Received: "The model got", Plots: "Plots",
	Nothing: "There is nothing in the log.",
	Ran:     "ran code", Looked: "looked at a plot", Called: "called %s", Typed: "You answered the code’s question",
	Approved: "You approved it", ApprovedAll: "You approved it, and everything else in the session", ApprovedEdited: "You edited the code and approved it",
	Denied: "You denied it", Shut: "You closed the question without an answer",
	Words: "with the words", Hidden: "a password, which is not in the log",
	Printed: "printed %s", Result: "a result of %s",
	Inline: "%d × %d px as a picture", Part: "a part of it, %d × %d px", Link: "a link only", Text: "its name only",
	Cut: "%s of %s of text", All: "%s of text",
	Runs: "runs: %d", Failed: "failed: %d", Answers: "your answers: %d", Drew: "plots: %d", Calls: "other calls: %d", Lines: "%d lines",
	Refused: "refused by you: %d", Died: "kernels died: %d", Shortened: "shortened results: %d", Hid: "hidden secrets: %d",
	Using: "token: %s", May: "It may do this", Line: "line %d %s: %s", Because: "You were asked because",
	Asked: "Asked by", Masked: "hidden from it: %s",
	Replaced: "and that its kernel was replaced at %s by %s",
	AllowedKinds: map[string]string{
		"session": "You also allowed this kind in the session", "project": "You also allowed this kind in the project",
	},
	About: map[string]string{
		"check": "the check of a plot", "tool": "the call of %s", "kernel": "the connection to a kernel", "project": "the project",
	},
	Kinds: []string{
		"changes or deletes files", "uses the network", "starts or ends programs",
		"installs or removes packages", "uses credentials or the environment",
		"replaces a table that you made", "does something that Easel cannot check",
	},
	Statuses: map[string]string{
		"ok": "done", "failed": "failed", "error": "error", "cancelled": "not run",
		"interrupted": "interrupted", "timeout": "stopped after its time limit",
		"kernel_died": "its kernel died", "lost": "lost", "running": "running",
		"queued": "waiting", "awaiting_approval": "waiting for your approval",
		"awaiting_input": "waiting for your answer",
	},
}

var japanese = words{
	Language: "ja", Title: "アシスタントの記録", Made: "Easel による作成日時", Period: "期間",
	NoSession: "セッションに属さない操作", Kernel: "カーネル", Environment: "環境", Assistants: "実行者", You: "あなた",
	Code: "コード", Sent: "あなたが編集する前のコード", Parameters: "パラメーター", Received: "モデルが受け取ったもの", Plots: "プロット",
	Nothing: "記録はありません。",
	Ran:     "コードを実行", Looked: "プロットを閲覧", Called: "%s を呼び出し", Typed: "あなたがコードの質問に回答",
	Approved: "あなたが許可", ApprovedAll: "あなたがこの操作と、このセッションの以後の実行を許可", ApprovedEdited: "あなたがコードを編集して許可",
	Denied: "あなたが拒否", Shut: "あなたが回答せずに質問を閉じました", Words: "伝えた言葉", Hidden: "パスワード（記録されていません）",
	Printed: "出力 %s", Result: "結果 %s",
	Inline: "画像 %d × %d px", Part: "一部の画像 %d × %d px", Link: "リンクのみ", Text: "名前のみ",
	Cut: "テキスト %[2]s のうち %[1]s", All: "テキスト %s",
	Runs: "実行 %d 回", Failed: "失敗 %d 回", Answers: "あなたの回答 %d 件", Drew: "プロット %d 件", Calls: "その他の呼び出し %d 回", Lines: "%d 行",
	Refused: "あなたによる拒否 %d 件", Died: "カーネルの停止 %d 回", Shortened: "省略された結果 %d 件", Hid: "伏せた秘密 %d 件",
	Using: "トークン：%s", May: "実行しうること", Line: "%d 行目：%s（%s）", Because: "確認した理由", Asked: "要求元", Masked: "伏せたもの：%s",
	Replaced:     "カーネルが %s に置き換わったこと（%s）",
	AllowedKinds: map[string]string{"session": "この種類の操作を、このセッションで許可", "project": "この種類の操作を、このプロジェクトで許可"},
	About:        map[string]string{"check": "プロットの確認", "tool": "%s の呼び出し", "kernel": "カーネルへの接続", "project": "プロジェクト"},
	Kinds: []string{
		"ファイルを変更または削除します", "ネットワークを使用します", "プログラムを起動または終了します",
		"パッケージを追加または削除します", "認証情報や環境変数を使用します",
		"あなたが作成した表を置き換えます", "Easel が確認できない処理をします",
	},
	Statuses: map[string]string{
		"ok": "完了", "failed": "失敗", "error": "エラー", "cancelled": "実行されませんでした", "interrupted": "中断", "timeout": "時間切れで停止",
		"kernel_died": "カーネルが停止", "lost": "消失", "running": "実行中", "queued": "待機中", "awaiting_approval": "許可待ち",
		"awaiting_input": "回答待ち",
	},
}

// status returns a status in words.
func (t *words) status(s string) string {
	if word, ok := t.Statuses[s]; ok {
		return word
	}
	return s // the code of an error
}

// sent says what a client got of a plot.
func (t *words) sent(s catalog.SentImage) string {
	switch s.How {
	case catalog.SentInline:
		return fmt.Sprintf(t.Inline, s.Width, s.Height)
	case catalog.SentPart:
		return fmt.Sprintf(t.Part, s.Width, s.Height)
	case catalog.SentLink:
		return t.Link
	default:
		return t.Text
	}
}

// text says how much of a text a client got.
func (t *words) text(r Delivery) string {
	if r.LeftOutBytes > 0 {
		return fmt.Sprintf(t.Cut, bytesOf(r.TextBytes), bytesOf(r.TextBytes+r.LeftOutBytes))
	}
	return fmt.Sprintf(t.All, bytesOf(r.TextBytes))
}

// riskKinds are the kinds of a catalog.Risk.
func riskKinds() []string {
	return []string{"files", "network", "programs", "packages", "secrets", "variable", "unseen"}
}

// risks says what code may do, one text for each place.
func (t *words) risks(all []catalog.Risk) (said []string) {
	for _, r := range all {
		kind := r.Kind
		if i := slices.Index(riskKinds(), kind); i >= 0 {
			kind = t.Kinds[i]
		}
		said = append(said, fmt.Sprintf(t.Line, r.Line, kind, r.What))
	}
	return said
}

// masked says which secrets were hidden from a client, and how often.
func (t *words) masked(found map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if n := found[name]; n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		all = append(all, name)
	}
	return fmt.Sprintf(t.Masked, strings.Join(all, ", "))
}

// zoned returns a day with the zone that times of that day have.
func zoned(at time.Time) string { return at.Format("2006-01-02 (UTC-07:00)") }

func bytesOf(n int64) string {
	for _, unit := range []struct {
		of   int64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if n >= unit.of {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.of)), ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d B", n)
}

// took returns a duration in a few characters.
func took(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}
