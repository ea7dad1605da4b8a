package state

import (
	"cmp"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
)

// Settings are the user's settings. They are stored in settings.json and contain no
// secrets.
type Settings struct {
	catalog.Settings
	// ChooseAccess means that the access mode could not be read: assistants may only read
	// until the user has chosen one.
	ChooseAccess bool `json:"-"`
	// ToldOfRisky means that the user has been told that Easel can ask only about risky code.
	ToldOfRisky bool `json:"told_of_risky,omitzero"`
	// DeliveryBy has the choices for single clients, which override Delivery.
	DeliveryBy Deliveries `json:"delivery_by_client,omitzero"`
	Layout     Layout     `json:"layout,omitzero"` // of the window
	Searches   Searches   `json:"searches,omitzero"`
	Looks      Looks      `json:"looks,omitzero"`
	Export     Export     `json:"export,omitzero"` // as chosen last
	// PlotChecks has the checks of plots that are turned off.
	PlotChecks PlotChecks `json:"plot_checks,omitzero"`
	// Wheelhouse is the directory or file from which Easel's Python packages are installed
	// without a network.
	Wheelhouse string `json:"wheelhouse,omitzero"`
	// Projects are the directories that assistants may work in besides the working folder.
	Projects Projects `json:"projects,omitzero"`
	// EnvFiles are the projects whose kernels have the variables in their .env files.
	EnvFiles Projects `json:"env_files,omitzero"`
	// Sandboxes are the projects whose kernels run in a sandbox.
	Sandboxes Sandboxes `json:"sandboxes,omitzero"`
	// ShowSecrets lets assistants see secrets, and SecretsShown those of single projects.
	ShowSecrets  bool     `json:"show_secrets,omitzero"`
	SecretsShown Projects `json:"secrets_shown,omitzero"`
	// Folders are the directories of pictures that the user has opened or pinned.
	Folders Folders `json:"folders,omitzero"`
	// LongRunSeconds is how long code must have run for its end to be worth a notification; 0: DefaultLongRun. Use LongRun.
	LongRunSeconds int `json:"long_run_seconds,omitzero"`
	// NotifyPlots lets a notification about ended runs name the newest plot, where the system takes its title as data.
	NotifyPlots bool `json:"notify_plots,omitzero"`
}

// DefaultLongRun is Settings.LongRun in seconds if the user has chosen none.
const DefaultLongRun = 30

// LongRun returns how long code must have run for its end to be worth a notification.
func (s Settings) LongRun() time.Duration {
	return time.Duration(cmp.Or(s.LongRunSeconds, DefaultLongRun)) * time.Second
}

// Export is how the user exported plots last. The zero value is for the first time.
type Export struct {
	Kind      command.ExportKind `json:"kind,omitzero"`
	NoCode    bool               `json:"no_code,omitzero"`
	NoNotes   bool               `json:"no_notes,omitzero"`
	NoTimings bool               `json:"no_timings,omitzero"`
	Still     bool               `json:"still,omitzero"` // HTML: figures are not interactive
	Appendix  bool               `json:"appendix,omitzero"`
	PlotsOnly bool               `json:"plots_only,omitzero"`
	Paper     string             `json:"paper,omitzero"`
}

// MostOutputKB is the largest Settings.OutputKB, and the limit for callers other than MCP
// clients.
const MostOutputKB = 20

// MostUnusedHours is the largest Settings.UnusedHours: one year.
const MostUnusedHours = 8760

// DefaultSettings returns the settings of a new user.
func DefaultSettings() Settings {
	return Settings{Settings: catalog.Settings{
		Theme: "system", ThumbSize: 176, Port: 5149, Timeout: 3600, Prestart: true, LocalServers: true, UnusedHours: 4, KeepFigures: true,
		PlotFacts: true, CheckMinutes: 10,
		Access: "allow", AskFor: 600, OutputKB: 8,
		TrashDays: 30, OnClose: "hide", Notify: "hidden",
	}}
}
