package logbook

import (
	"fmt"
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
	Statuses                                            map[string]string
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
	Approved: "You approved the code", ApprovedAll: "You approved the code, and everything else in the session", ApprovedEdited: "You edited the code and approved it",
	Denied: "You denied the code", Shut: "You closed the question without an answer",
	Words: "with the words", Hidden: "a password, which is not in the log",
	Printed: "printed %s", Result: "a result of %s",
	Inline: "%d × %d px as a picture", Part: "a part of it, %d × %d px", Link: "a link only", Text: "its name only",
	Cut: "%s of %s of text", All: "%s of text",
	Runs: "runs: %d", Failed: "failed: %d", Answers: "your answers: %d", Drew: "plots: %d", Calls: "other calls: %d", Lines: "%d lines",
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
	Approved: "あなたがコードを許可", ApprovedAll: "あなたがコードと、このセッションの以後の実行を許可", ApprovedEdited: "あなたがコードを編集して許可",
	Denied: "あなたがコードを拒否", Shut: "あなたが回答せずに質問を閉じました", Words: "伝えた言葉", Hidden: "パスワード（記録されていません）",
	Printed: "出力 %s", Result: "結果 %s",
	Inline: "画像 %d × %d px", Part: "一部の画像 %d × %d px", Link: "リンクのみ", Text: "名前のみ",
	Cut: "テキスト %[2]s のうち %[1]s", All: "テキスト %s",
	Runs: "実行 %d 回", Failed: "失敗 %d 回", Answers: "あなたの回答 %d 件", Drew: "プロット %d 件", Calls: "その他の呼び出し %d 回", Lines: "%d 行",
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
