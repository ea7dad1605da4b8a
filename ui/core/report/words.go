package report

// words are the texts of a report in one language.
type words struct {
	Language                                                    string
	Plot, Plots, Code, Interactive, Picture, Made, Ran, Session string
	NoPicture, Missing, NotLoaded, Contents, By, NoFrame        string
	Environment                                                 string
	Data, LargeData, Sample                                     string
}

func wordsOf(language string) *words {
	if language == "ja" {
		return &japanese
	}
	return &english
}

var english = words{
	Language: "en", Plot: "plot", Plots: "plots", Code: "Code", Interactive: "Interactive", Picture: "Picture", Made: "Drawn", Ran: "ran for",
	Session:   "Session",
	NoPicture: "This figure has no picture.", Missing: "Not in this report, because they were deleted or cannot be read:",
	NotLoaded: "Not available offline:", Contents: "Contents", By: "Made with Easel", NoFrame: "Interactive figure",
	Environment: "Environment", Data: "Data (CSV)", LargeData: "The data is too large for this page.", Sample: "a sample of the values",
}

var japanese = words{
	Language: "ja", Plot: "件のプロット", Plots: "件のプロット", Code: "コード", Interactive: "操作する", Picture: "画像を表示", Made: "描画", Ran: "実行時間",
	Session:   "セッション",
	NoPicture: "このプロットの画像はありません。", Missing: "次のプロットは削除されたか読み取れないため、含まれていません：",
	NotLoaded: "オフラインでは利用できません：", Contents: "目次", By: "Easel で作成", NoFrame: "インタラクティブな図",
	Environment: "環境", Data: "データ（CSV）", LargeData: "データが大きいため、このページには含まれていません。", Sample: "値の一部だけです",
}
