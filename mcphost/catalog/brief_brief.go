package catalog

// Of returns a tool's output without what a model already has or cannot use. It marshals to a JSON
// object. inlined lists the URIs of the pictures that the result contains.
func Of(out any, inlined []string) any {
	switch o := out.(type) {
	case CellChanged:
		return cellChanged(o, inlined)
	case CheckReproducibilityOut:
		return checkReproducibilityOut(o)
	case Execution:
		return execution(o, inlined)
	case FileListOut:
		return fileListOut(o)
	case FileReadOut:
		return fileReadOut(o)
	case FilesOut:
		return filesOut(o)
	case GetCurrentFolderOut:
		return getCurrentFolderOut(o)
	case GetDataFrameInfoOut:
		return getDataFrameInfoOut(o)
	case GetFilesInViewOut:
		return getFilesInViewOut(o)
	case GetImageResourceOut:
		return getImageResourceOut(o, inlined)
	case GetPromptInfoOut:
		return getPromptInfoOut(o)
	case GetSelectedFilesOut:
		return getSelectedFilesOut(o, inlined)
	case GetVariablesOut:
		return getVariablesOut(o)
	case LateAnswer:
		return lateAnswer(o)
	case ListSessionImagesOut:
		return listSessionImagesOut(o)
	case NavigateImageOut:
		return navigateImageOut(o)
	case NotebookCreateOut:
		return notebookCreateOut(o)
	case NotebookDeleteCellOut:
		return notebookDeleteCellOut(o)
	case NotebookReadOut:
		return notebookReadOut(o)
	case Question:
		return questionOf(o, true)
	case SearchHistoryOut:
		return searchHistoryOut(o)
	case SelectFileOut:
		return selectFileOut(o)
	case SessionConnectOut:
		return sessionConnectOut(o)
	case SessionCreateOut:
		return sessionCreateOut(o)
	case SessionDeleteOut:
		return sessionDeleteOut(o)
	case SessionInterruptOut:
		return sessionInterruptOut(o)
	case SessionListOut:
		return sessionListOut(o)
	case SessionRestartOut:
		return sessionRestartOut(o)
	case ViewOut:
		return viewOut(o)
	default:
		return out
	}
}
