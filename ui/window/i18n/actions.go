package i18n

import "strings"

// Action says what a client has done in the language: by is state.Snapshot.ByAssistant, the
// client's name and the title of a tool. An unknown title stays in English.
func (c *Catalog) Action(by string) string {
	if at := strings.LastIndex(by, separator); c.lang == "ja" && at >= 0 {
		if title, ok := titlesJa[by[at+len(separator):]]; ok {
			return by[:at+len(separator)] + title
		}
	}
	return by
}

const separator = " · "

// titlesJa has the titles of the tools in Japanese, by those in package catalog.
var titlesJa = map[string]string{
	"Add a cell":              "セルの追加",
	"Check reproducibility":   "再現性の確認",
	"Clear the rating filter": "評価の絞り込みの解除",
	"Clear the tag filter":    "タグの絞り込みの解除",
	"Close the viewer":        "ビューアーを閉じる",
	"Create a notebook":       "ノートブックの作成",
	"Delete a cell":           "セルの削除",
	"Describe a DataFrame":    "DataFrame の確認",
	"Edit a cell":             "セルの編集",
	"End a session":           "セッションの終了",
	"Filter by rating":        "評価で絞り込み",
	"Filter by tags":          "タグで絞り込み",
	"Full screen":             "全画面表示",
	"Get a picture":           "画像の取得",
	"Get an execution":        "実行結果の取得",
	"Get an image's origin":   "プロットの由来の確認",
	"Get the current view":    "表示の確認",
	"Get the selection":       "選択の確認",
	"Go to another image":     "別のプロットへの移動",
	"Interrupt a session":     "セッションの中断",
	"Join a session":          "セッションへの接続",
	"List files":              "ファイルの一覧",
	"List plots":              "プロットの一覧",
	"List sessions":           "セッションの一覧",
	"List the files in view":  "表示中のプロットの一覧",
	"List variables":          "変数の一覧",
	"Move a cell":             "セルの移動",
	"Open a folder":           "フォルダーを開く",
	"Preview a file":          "ファイルのプレビュー",
	"Properties panel":        "プロパティパネル",
	"Rate files":              "評価",
	"Read a notebook":         "ノートブックの読み取り",
	"Redraw a plot":           "プロットの再描画",
	"Restart a session":       "セッションの再起動",
	"Run a cell":              "セルの実行",
	"Run code":                "コードの実行",
	"Search earlier work":     "過去の作業の検索",
	"Select files":            "プロットの選択",
	"Set the theme":           "テーマの変更",
	"Show an image":           "プロットの表示",
	"Sort the gallery":        "並べ替え",
	"Start a session":         "セッションの開始",
	"Tag files":               "タグ付け",
}
