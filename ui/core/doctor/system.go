package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"easel/internal/system"

	"github.com/godbus/dbus/v5"
)

const quick = 10 * time.Second // timeout for anything that should answer immediately

// libraries lists the shared libraries that the program uses, their Debian packages, and
// whether it cannot start without them.
var libraries = []struct {
	file, pkg string
	needed    bool
}{
	{"libGL.so.1", "libgl1", true},
	{"libX11.so.6", "libx11-6", true},
	{"libXcursor.so.1", "libxcursor1", false},
	{"libXi.so.6", "libxi6", false},
	{"libXinerama.so.1", "libxinerama1", false},
	{"libXrandr.so.2", "libxrandr2", false},
	{"libxkbcommon.so.0", "libxkbcommon0", false},
}

// checkLibraries checks the shared libraries of the window. The program without one does not
// have them, and the other one has loaded those that it cannot start without.
func checkLibraries(_ context.Context, p *patient) []reportLine {
	if goruntime.GOOS != "linux" || p.Headless {
		return nil
	}
	cache, _ := os.ReadFile("/etc/ld.so.cache")
	grade := good
	var missing, packages []string
	for _, lib := range libraries {
		if bytes.Contains(cache, append([]byte(lib.file), 0)) || inLibraryPath(lib.file) {
			continue
		}
		missing, packages = append(missing, lib.file), append(packages, lib.pkg)
		if lib.needed {
			grade = bad
		} else if grade == good {
			grade = mind
		}
	}
	if len(missing) == 0 {
		return []reportLine{{good, "Libraries", "libGL, libX11 and the others are there", ""}}
	}
	return []reportLine{{
		grade, "Libraries", "missing: " + strings.Join(missing, ", "),
		"On Debian and Ubuntu: sudo apt install " + strings.Join(packages, " "),
	}}
}

func inLibraryPath(file string) bool {
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	dirs = append(dirs, "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib")
	triplets, _ := filepath.Glob("/usr/lib/*-linux-*")
	for _, dir := range append(dirs, triplets...) {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return true
		}
	}
	return false
}

func checkDisplay(ctx context.Context, p *patient) []reportLine {
	if goruntime.GOOS != "linux" {
		return []reportLine{{good, "Display", goruntime.GOOS, ""}}
	}
	if p.Headless {
		return []reportLine{{good, "Display", "not needed without a window", ""}}
	}
	wayland, x11 := os.Getenv("WAYLAND_DISPLAY"), os.Getenv("DISPLAY")
	var tried []string
	if wayland != "" {
		path := wayland
		if !filepath.IsAbs(path) {
			path = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), path)
		}
		err := dial(ctx, "unix", path)
		if err == nil {
			return []reportLine{{good, "Display", "Wayland, " + wayland, ""}}
		}
		tried = append(tried, "Wayland "+wayland+": "+err.Error())
	}
	if x11 != "" {
		err := dialX11(ctx, x11)
		if err == nil {
			return []reportLine{{good, "Display", "X11, " + x11, ""}}
		}
		tried = append(tried, "X11 "+x11+": "+err.Error())
	}
	if len(tried) == 0 {
		return []reportLine{{
			mind, "Display", "there is none (neither WAYLAND_DISPLAY nor DISPLAY is set)",
			"Easel runs without a window. To get one, start it on a desktop, or use ssh -X.",
		}}
	}
	return []reportLine{{mind, "Display", strings.Join(tried, "\n"), "Easel cannot open its window there. Start it on a desktop, or with --headless."}}
}

// dialX11 connects to the display named host:number.screen, as X programs do.
func dialX11(ctx context.Context, display string) error {
	i := strings.LastIndexByte(display, ':')
	host, rest := display[:max(i, 0)], display[i+1:]
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if i < 0 || err != nil {
		return fmt.Errorf("%q is no display", display)
	}
	if host == "" || host == "unix" {
		path := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
		if dial(ctx, "unix", "@"+path) == nil {
			return nil
		}
		return dial(ctx, "unix", path)
	}
	return dial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(6000+n)))
}

func dial(ctx context.Context, network, address string) error {
	d := net.Dialer{Timeout: quick}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

const watcher = "org.kde.StatusNotifierWatcher"

// checkTray checks whether the desktop shows tray icons (StatusNotifierItem).
func checkTray(ctx context.Context, p *patient) []reportLine {
	if goruntime.GOOS != "linux" {
		return []reportLine{{good, "Tray", "the system's own", ""}}
	}
	if p.Headless {
		return nil
	}
	without := "Easel works without a tray: closing its window quits it, and asks first if something would be lost. On GNOME, install the extension AppIndicator " +
		"(sudo apt install gnome-shell-extension-appindicator); KDE, Xfce, Cinnamon, MATE and LXQt have one."
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" && noUserBus() {
		return []reportLine{{mind, "Tray", "there is no D-Bus session, so no tray and no notifications", without}}
	}
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return []reportLine{{mind, "Tray", "the D-Bus session does not answer: " + err.Error(), without}}
	}
	defer func() { _ = conn.Close() }()
	shown, err := conn.Object(watcher, "/StatusNotifierWatcher").GetProperty(watcher + ".IsStatusNotifierHostRegistered")
	if err != nil {
		return []reportLine{{mind, "Tray", "this desktop shows no tray icons (no " + watcher + ")", without}}
	}
	if on, ok := shown.Value().(bool); ok && !on {
		return []reportLine{{mind, "Tray", "there is a watcher of tray icons, but no panel that shows them", without}}
	}
	return []reportLine{{good, "Tray", "the desktop shows tray icons", ""}}
}

func noUserBus() bool {
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return err != nil
}

func checkPort(ctx context.Context, p *patient) []reportLine {
	if p.running.Port == p.Port {
		return []reportLine{{good, "Port", fmt.Sprintf("%d is Easel's", p.Port), ""}}
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port))
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close()
		return []reportLine{{good, "Port", fmt.Sprintf("%d is free", p.Port), ""}}
	}
	who := "another program"
	if name := system.Listener(p.Port); name != "" {
		who = name
	} else if _, ok := health(ctx, "http://"+address, ""); ok {
		who = "another Easel (of another data directory, or another user)"
	}
	return []reportLine{{
		mind, "Port", fmt.Sprintf("%d is taken by %s", p.Port, who),
		"Easel takes the next free port; its window and easel.json show which. Clients that name this one then need the new address.",
	}}
}

// A healthReport is the part of the answer of /api/health that the checks need.
type healthReport struct {
	Servers []struct {
		State, Message string
		Managed        bool
	}
}

// direct follows no redirects: the token must go nowhere else.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// health asks an Easel for its health. The servers are in it only with the token. ok reports
// whether the Easel answers.
func health(ctx context.Context, url, token string) (h healthReport, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/health", nil)
	if err != nil {
		return h, false
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := direct.Do(req)
	if err != nil {
		return h, false
	}
	defer func() { _ = resp.Body.Close() }()
	_ = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&h) // a program that is no Easel has none
	return h, resp.StatusCode == http.StatusOK
}

// checkFonts returns which font has Japanese characters. It is bundled, so it cannot be
// missing.
func checkFonts(_ context.Context, p *patient) []reportLine {
	return []reportLine{{good, "Japanese", "font for window and plots: " + p.Font + ", which Easel brings", ""}}
}
