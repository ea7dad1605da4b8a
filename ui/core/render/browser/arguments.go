package browser

import "strings"

// doors are the layers that a test leaves open to look at the others.
type doors struct{ interception, policy, resolver, namespace bool }

// arguments are the browser's. They turn off what a browser does beside drawing.
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
		// Pictures are alike on every machine, and 3D needs no graphics card; what is flat is
		// drawn without SwiftShader, which is slow.
		"--disable-gpu",
		"--hide-scrollbars",
		"--force-color-profile=srgb",
		"--font-render-hinting=none",
		"--use-angle=swiftshader",
		"--enable-unsafe-swiftshader",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		// A figure is one process, whatever frames it has: it is all of one author.
		"--disable-site-isolation-trials",
		"--js-flags=--max-old-space-size=1024",
		"--disable-features=" + strings.Join([]string{
			"IsolateSandboxedIframes", "IsolateOrigins", "site-per-process", "SpareRendererForSitePerProcess",
			"Translate", "OptimizationHints", "OptimizationGuideModelDownloading", "MediaRouter", "DialMediaRouteProvider",
			"InterestFeedContentSuggestions", "AutofillServerCommunication", "CertificateTransparencyComponentUpdater",
			"NetworkTimeServiceQuerying", "Prerender2", "PreconnectToSearch", "LoadingPredictor", "NetworkPrediction",
			"DnsOverHttps", "AsyncDns", "WebTransport", "DirectSockets", "BackForwardCache", "AcceptCHFrame",
		}, ","),
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
