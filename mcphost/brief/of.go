package brief

import "easel/mcphost/catalog"

// Of returns a tool's output without what a model already has or cannot use. It marshals to a JSON
// object. inlined lists the URIs of the pictures that the result contains.
func Of(out any, inlined []string) any { //nolint:funlen // a case for each output
	switch o := out.(type) {
	case catalog.CellChanged:
		return cellChanged(o, inlined)
	case catalog.CheckReproducibilityOut:
		return checkReproducibilityOut(o)
	case catalog.Execution:
		return execution(o, inlined)
	case catalog.FileListOut:
		return fileListOut(o)
	case catalog.FileReadOut:
		return fileReadOut(o)
	case catalog.FilesOut:
		return filesOut(o)
	case catalog.GetCurrentFolderOut:
		return getCurrentFolderOut(o)
	case catalog.GetDataFrameInfoOut:
		return getDataFrameInfoOut(o)
	case catalog.GetFilesInViewOut:
		return getFilesInViewOut(o)
	case catalog.GetImageResourceOut:
		return getImageResourceOut(o, inlined)
	case catalog.GetPromptInfoOut:
		return getPromptInfoOut(o)
	case catalog.GetSelectedFilesOut:
		return getSelectedFilesOut(o, inlined)
	case catalog.GetVariablesOut:
		return getVariablesOut(o)
	case catalog.LateAnswer:
		return lateAnswer(o)
	case catalog.ListSessionImagesOut:
		return listSessionImagesOut(o)
	case catalog.NavigateImageOut:
		return navigateImageOut(o)
	case catalog.NotebookCreateOut:
		return notebookCreateOut(o)
	case catalog.NotebookDeleteCellOut:
		return notebookDeleteCellOut(o)
	case catalog.NotebookReadOut:
		return notebookReadOut(o)
	case catalog.Question:
		return questionOf(o, true)
	case catalog.SearchHistoryOut:
		return searchHistoryOut(o)
	case catalog.SelectFileOut:
		return selectFileOut(o)
	case catalog.SessionConnectOut:
		return sessionConnectOut(o)
	case catalog.SessionCreateOut:
		return sessionCreateOut(o)
	case catalog.SessionDeleteOut:
		return sessionDeleteOut(o)
	case catalog.SessionInterruptOut:
		return sessionInterruptOut(o)
	case catalog.SessionListOut:
		return sessionListOut(o)
	case catalog.SessionRestartOut:
		return sessionRestartOut(o)
	case catalog.ViewOut:
		return viewOut(o)
	default:
		return out
	}
}
