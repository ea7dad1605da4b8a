package browser

import "strings"

// doors are layers of protection that a test disables in order to test the others.
type doors struct{ interception, policy, resolver, namespace bool }

// arguments returns the browser's command line. It disables everything except drawing.
func arguments(profile string, open doors) []string {
	args := []string{
		"--headless",
		"--remote-debugging-pipe",
		"--user-data-dir=" + profile,
		"--no-startup-window",
		"--no-first-run",
		"--no-default-browser-check",
		"--block-new-web-contents",
		"--disable-extensions",
		"--disable-component-update",
		"--disable-background-networking",
		"--disable-client-side-phishing-detection",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-sync",
		"--disable-breakpad",
		"--disable-crash-reporter",
		"--disable-notifications",
		"--disable-speech-api",
		"--deny-permission-prompts",
		"--metrics-recording-only",
		"--no-pings",
		"--mute-audio",
		"--password-store=basic",
		"--use-mock-keychain",
		// Draw the same picture on every machine, and 3D without a graphics card. 2D does not
		// use SwiftShader, which is slow.
		"--disable-gpu",
		"--hide-scrollbars",
		"--force-color-profile=srgb",
		"--font-render-hinting=none",
		"--use-angle=swiftshader",
		"--enable-unsafe-swiftshader",
		// Do not compile a shader for a figure that was compiled for another one on the same canvas.
		"--enable-angle-features=preferGlobalPipelineCache",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		// One process draws a figure with all its frames, which have the same author.
		"--disable-site-isolation-trials",
		"--js-flags=--max-old-space-size=1024",
		"--disable-features=" + strings.Join(disabledFeatures, ","),
	}
	if !open.resolver {
		args = append(args,
			"--host-resolver-rules=MAP * ~NOTFOUND",
			"--no-proxy-server",
			"--dns-prefetch-disable",
			"--disable-quic",
			"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		)
	}
	return append(args, systemArguments()...)
}

// disabledFeatures are features of the browser that reach a network, use processes or are of no use for a figure.
var disabledFeatures = []string{
	"IsolateSandboxedIframes", "IsolateOrigins", "site-per-process", "SpareRendererForSitePerProcess",
	"Translate", "OptimizationHints", "OptimizationGuideModelDownloading", "MediaRouter", "DialMediaRouteProvider",
	"InterestFeedContentSuggestions", "AutofillServerCommunication", "CertificateTransparencyComponentUpdater",
	"NetworkTimeServiceQuerying", "Prerender2", "PreconnectToSearch", "LoadingPredictor", "NetworkPrediction",
	"DnsOverHttps", "AsyncDns", "WebTransport", "DirectSockets", "BackForwardCache", "AcceptCHFrame",
	// The address bar of each window, although it has none, has a process of its own.
	"WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
}
