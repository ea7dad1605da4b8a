package catalog

// Messages of executions whose kernel ended. The window shows them in the user's language.
const (
	MessageDied          = "The kernel died. Earlier output and plots are kept."
	MessageDiedRestarted = "The kernel died and was restarted. Its variables are lost; earlier output and plots are kept."
	MessageRestarted     = "The kernel was restarted. Its variables are lost; earlier output and plots are kept."
	MessageReplaced      = "The kernel was restarted or died while Easel was not connected to it. Its variables are lost; earlier output and plots are kept."
	MessageShutDown      = "The kernel is gone: it was shut down. Earlier output and plots are kept."
)
