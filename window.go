//go:build !headless

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"easel/mcphost/catalog"
	"easel/mcphost/demo"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/window"
	"easel/ui/window/desktop"
	"easel/ui/window/kit"
	"easel/ui/window/preferences"
	"easel/ui/window/tray"
)

// panelOutput is how much of each stream the properties of a plot show, in bytes.
const panelOutput = 20_000

// hasWindow reports whether this build can show a window.
const hasWindow = true

// installed returns "": this program has a window itself.
func installed(context.Context, settings.Options) string { return "" }

// runWindow shows the window until the app is quit by the window, the tray or a signal,
// which Fyne also catches. It calls opened when the window exists.
func (e *easel) runWindow(ctx context.Context, hidden bool, opened func()) error {
	desktop.NoStrayBus()
	desktop.MakeCache(appID)
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "Easel", Version: version, Migrations: map[string]bool{"fyneDo": true}})
	a := app.NewWithID(appID)
	var (
		w *window.App // used by posted functions
		// over is set when Fyne's loop ends. A function posted after that would run on
		// the poster's goroutine, or panic while Fyne closes its queue.
		over atomic.Bool
	)
	post := func(f func()) {
		if !over.Load() {
			fyne.Do(f)
		}
	}
	calm := newCalm(func() { post(func() { w.Sweep() }) })
	go calm.Run(ctx) // ends with the app
	do, run := kit.Batch(func(f func()) {
		calm.Touch()
		post(f)
	})
	// Fyne draws a frame or runs posted functions, whichever is ready first. It runs
	// animations before each frame.
	beat := fyne.NewAnimation(time.Hour, func(float32) {
		if !w.SkipFrame(time.Now()) {
			run()
		}
	})
	beat.RepeatCount = fyne.AnimationRepeatForever
	beat.Start()
	defer beat.Stop()
	e.Store.Update(func(s *state.Snapshot) {
		s.CanAutostart, s.Autostart = true, desktop.Autostarts(appID)
	})
	desktop.SweepSecrets(e.options.DataDir)
	desktop.SweepHandouts(e.options.DataDir)
	defer desktop.SweepSecrets(e.options.DataDir)
	var clipboard desktop.Clipboard
	defer clipboard.Close()
	var icon atomic.Pointer[tray.Tray] // created after the window, which reads it
	w = window.New(e.windowConfig(a, do, &clipboard, &icon))
	if err := w.CheckDriver(); err != nil {
		return err
	}
	show := func() { do(w.Show) }
	e.show.Store(&show)
	path := func(path string) { do(func() { w.OpenPath(path) }) }
	e.pathed.Store(&path)
	if hidden {
		e.Store.Update(func(s *state.Snapshot) { s.Window = state.WindowHidden })
	} else {
		w.Show()
	}
	icon.Store(tray.New(tray.Config{ // after the first frame: Fyne creates a window of its own for it
		App: a, Window: w.Window(), Store: e.Store, Do: do, Log: e.log, Actions: w.Tray(),
	}))
	ended := make(chan error, 1)
	go e.endWindow(ctx, a, w, icon.Load(), do, &over, ended) // ends with the app
	opened()
	a.Run()
	over.Store(true)
	e.stop(errQuit)
	err := <-ended
	w.Close()
	return err
}

// autostart makes the desktop start Easel at login, hidden and with the current options.
func (e *easel) autostart(on bool) error {
	o := e.options
	o.Hidden = true
	if err := desktop.SetAutostart(appID, on, executable(), o.Args()...); err != nil {
		return err
	}
	e.Store.Update(func(s *state.Snapshot) { s.Autostart = desktop.Autostarts(appID) })
	return nil
}

// windowConfig returns what the window gets from the other parts and from the desktop.
func (e *easel) windowConfig(a fyne.App, do func(func()), clipboard *desktop.Clipboard, icon *atomic.Pointer[tray.Tray]) window.Config {
	return window.Config{
		App: a, Store: e.Store, Bus: e.bus, Library: e.Collection, Kept: e.Library, Do: do, Log: e.log, Shaders: true,
		Version: version, Exe: executable(), Bridge: e.options.Bridge(), DataDir: e.options.DataDir,
		Token: e.host.Token, TokenOf: e.tokenOf, EndStreams: e.host.EndStreams,
		Given: preferences.Overrides{
			Port:    preferences.Override{Value: strconv.Itoa(e.options.Port), By: e.options.PortBy},
			RootDir: preferences.Override{Value: e.options.RootDir, By: e.options.RootDirBy},
		},
		Inspect:    os.Getenv("EASEL_INSPECT"), // see inspect.Claim
		JupyterLab: e.Kernels.LabURL, RotateToken: e.rotateToken,
		KeepAwake: desktop.KeepAwake,
		Scale:     desktop.Scale(a.Settings().Scale()),
		OpenWith:  desktop.OpenWith,
		HandOut:   func(name string, data []byte) (string, error) { return desktop.HandOut(e.options.DataDir, name, data) },
		Drag:      desktop.Drag,
		CopyImage: clipboard.CopyImage, Reveal: desktop.Reveal, Open: desktop.Open,
		Displayed: func(ctx context.Context, id string) (catalog.Execution, error) {
			x, err := e.Kernels.Execution(ctx, id)
			if err != nil {
				return catalog.Execution{}, err
			}
			return x.Read(ctx, execution.ReadOptions{Limit: panelOutput, Final: true})
		},
		Demo: func(ctx context.Context) error {
			return demo.Run(ctx, demo.Config{URL: e.host.URL(), Token: e.host.Token(), Out: io.Discard})
		},
		OpenSecret: func(address string) error { return desktop.OpenSecret(e.options.DataDir, address) },
		Autostart:  e.autostart,
		Tray:       func() bool { t := icon.Load(); return t != nil && t.Available() },
		Quit:       func() { e.stop(errQuit) },
	}
}

// endWindow waits until ctx ends, and then ends everything in order: what is typed is saved, the
// calls end, then the window. It sends the outcome to ended.
func (e *easel) endWindow(ctx context.Context, a fyne.App, w *window.App, icon *tray.Tray, do func(func()), over *atomic.Bool,
	ended chan<- error,
) {
	<-ctx.Done()
	icon.Close()                                    // it has nothing more to show
	asked := errors.Is(context.Cause(ctx), errQuit) // on a signal, Fyne ends its loop itself
	if asked {
		do(w.Hide)
	} else {
		over.Store(true)
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitCalls)
	w.Save(saving) // without Fyne's goroutine, which may have ended
	cancel()
	ended <- e.quit()
	time.AfterFunc(quitWindow, func() { os.Exit(0) })
	if asked && !over.Swap(true) { // on a signal, Fyne's loop may have ended first
		fyne.Do(a.Quit)
	}
}
