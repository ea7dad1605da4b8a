package tunnel

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Address{
		"ssh://gpu":                                     {Host: "gpu"},
		" SSH://gpu/ ":                                  {Host: "gpu"},
		"ssh://ann@gpu.example:2222":                    {User: "ann", Host: "gpu.example", Port: "2222"},
		"ssh://my_host":                                 {Host: "my_host"},
		"ssh://[fe80::1]:22":                            {Host: "fe80::1", Port: "22"},
		"ssh://計算機":                                     {Host: "計算機"},
		"ssh://gpu/?port=8888":                          {Host: "gpu", ServerPort: 8888},
		"ssh://ann@gpu:22/home/ann/売上 2026/":            {User: "ann", Host: "gpu", Port: "22", Path: "/home/ann/売上 2026"},
		"ssh://gpu/~/sales":                             {Host: "gpu", Path: "~/sales"},
		"ssh://gpu/~":                                   {Host: "gpu", Path: "~"},
		"ssh://gpu/~ann":                                {Host: "gpu", Path: "/~ann"},
		"ssh://gpu/a/../b/100%25%3F":                    {Host: "gpu", Path: "/b/100%?"},
		"ssh://gpu?port=8888&runtime_dir=/s/it%27s+run": {Host: "gpu", ServerPort: 8888, RuntimeDir: "/s/it's run"},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || again != want {
			t.Errorf("%s as %s: got %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"", "gpu", "http://gpu", "ssh:gpu", "ssh://", "ssh:///", "ssh://ann:secret@gpu", "ssh://-oProxyCommand=touch", "ssh://-gpu", "ssh://-l@gpu",
		"ssh://$(touch x)", "ssh://a`b", "ssh://a;b", "ssh://a|b", "ssh://a b", "ssh://a%0ab", "ssh://a&b", "ssh://a'b", `ssh://a"b`, "ssh://u;v@gpu",
		"ssh://gpu:22x", "ssh://gpu/path?port=8888", "ssh://gpu/a%0ab", "ssh://gpu/#f", "ssh://gpu?prt=1", "ssh://gpu?port=0", "ssh://gpu?port=x", "ssh://gpu?runtime_dir=run",
		"ssh://gpu?runtime_dir=/a%0ab", "ssh://gpu\u202e", "ssh://g\u200bpu/home/ann",
	} {
		if got, err := Parse(text); !errors.Is(err, ErrAddress) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	a := Address{User: "ann", Host: "gpu", Port: "2222", ServerPort: 8888}
	if got := a.arguments(); !slices.Equal(got, []string{"-p", "2222", "-l", "ann", "--", "gpu"}) {
		t.Errorf("got %q", got)
	}
}

func TestExplained(t *testing.T) {
	for stderr, want := range map[string]Problem{
		"ssh: Could not resolve hostname gpu: Name or service not known\r\n":                                                UnknownHost,
		"ssh: connect to host gpu port 22: Connection timed out\r\n":                                                        TimedOut,
		"ssh: connect to host gpu port 22: No route to host\r\n":                                                            TimedOut,
		"Connection timed out during banner exchange\r\nConnection to 10.0.0.1 port 22 timed out\r\n":                       TimedOut,
		"ssh: connect to host gpu port 22: Connection refused\r\n":                                                          Refused,
		"No ED25519 host key is known for gpu and you have requested strict checking.\r\nHost key verification failed.\r\n": UnknownHostKey,
		"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nHost key verification failed.\r\n":                  ChangedHostKey,
		"ann@gpu: Permission denied (publickey,password).\r\n":                                                              Denied,
		"Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\r\n":                                 Denied,
		"client_loop: send disconnect: Broken pipe\r\n":                                                                     Lost,
		"": Lost,
		"/home/ann/.ssh/config: line 3: Bad configuration option: hots\r\n/home/ann/.ssh/config: terminating, 1 bad options\r\n": Failed,
	} {
		got := Address{Host: "gpu"}.explained(stderr, Lost)
		if got.Problem != want {
			t.Errorf("%q: got %s", stderr, got.Problem)
		}
		if text := got.Error(); strings.ContainsAny(text, "{}") || !strings.Contains(text, "gpu") {
			t.Errorf("%q: %q", stderr, text)
		}
	}
	for p := range texts {
		if text := (Address{User: "ann", Host: "gpu"}).problem(p, "said").Error(); strings.ContainsAny(text, "{}\n") {
			t.Errorf("%s: %q", p, text)
		}
	}
}
