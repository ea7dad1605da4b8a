package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func jsonValid(b []byte) bool { return json.Valid(b) }

func TestIsSecret(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"OPENAI_API_KEY", "9f2c7e1b4a6d8035", true},
		{"DB_PASSWORD", "hunter2!", true},
		{"db_password", "Tr0ub4dor&3", true},
		{"PGPASSWORD", "k3yb0ard-cat", true},
		{"MY_TOKEN", "abcd-efgh-1234", true},
		{"HFTOKEN", "abcd-efgh-1234", true},
		{"SECRET_KEY", "django-insecure-3#x", true},
		{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzKEY", true},
		{"API_AUTH", "user:pa55word1234", true},
		{"SENTRY_DSN", "https://abc123def456@o1.ingest.sentry.io/5", true},
		{"LOGIN_PASSWORD", "correct horse battery staple", true},
		{"LICENSE_KEY", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", true},
		{"LONG_SECRET", "/9j+abc=/123456789==", true},
		{"TOKENIZERS_PARALLELISM", "false", false},
		{"KEY_COLUMN", "customer_id", false},
		{"PRIMARY_KEY", "customer_id", false},
		{"API_KEY_NAME", "x9f2c7e1b4a6", false},
		{"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7", false}, // masked by its form
		{"SECRET_FILE", "/run/secrets/db", false},
		{"TOKEN", "/var/run/secrets/kubernetes.io/token", false},
		{"DB_PASSWORD", "postgres", false},
		{"PASSWORD", "password", false},
		{"PASSWORD", "changeme", false},
		{"DEBUG_TOKEN", "true", false},
		{"MAX_TOKEN", "4096", false},
		{"HOME", "/home/ada-lovelace-1815", false},
		{"PATH", "/usr/local/bin:/usr/bin", false},
		{"PWD", "/home/ada/proj", false},
		{"OLDPWD", "/home/ada/proj1", false},
		{"SSH_AUTH_SOCK", "/tmp/ssh-XXXX1234/agent.99", false},
		{"GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D", false},
		{"LESSKEY", "/etc/lesskey1", false},
		{"DATA_VERSION", "2024.1-9f2c7e1b", false},
		{"TOKEN_URL", "https://auth.example.org/token", false},
		{"", "9f2c7e1b4a6d8035", false},
	} {
		if got := IsSecret(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: %v", c.name, c.value, got)
		}
	}
	got := Secrets([]Secret{{"DATABASE_URL", "postgres://app:p%40ssw0rd-1@db/x"}, {"A", "b"}, {"MY_TOKEN", "abcd-efgh-1234"}})
	if want := []Secret{{"DATABASE_URL", "p@ssw0rd-1"}, {"MY_TOKEN", "abcd-efgh-1234"}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestVariables(t *testing.T) {
	file := "\ufeff# comment\nA=1\nexport B = two # more\nC='single $x \\n'\r\nD=\"double \\\"q\\\" \\n\"\nE=\n\n  F=x=y#z\nnonsense\nG=\"line 1\nline 2\" # c\nH=`tick`\nI='no end\nJ=last"
	want := []Secret{
		{"A", "1"}, {"B", "two"}, {"C", `single $x \n`}, {"D", "double \"q\" \n"}, {"E", ""}, {"F", "x=y#z"}, {"G", "line 1\nline 2"}, {"H", "tick"},
	}
	got := Variables([]byte(file))
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("%q", got)
	}
	if i := slices.IndexFunc(got, func(s Secret) bool { return s.Name == "J" }); i >= 0 && got[i].Value != "last" {
		t.Errorf("%q", got)
	}
}

const named = `p4ss"w\rd's&<é>/+` + "x9"

// A value with a name is found in each way in which code or Easel writes it.
func TestNamed(t *testing.T) {
	for _, secret := range []string{"9f2c7e1b4a6d8035", named, "hunter2!", strings.Repeat("q7Zx", 30)} {
		m := New()
		m.Know([]Secret{{"MY_KEY", secret}})
		b64 := base64.StdEncoding.EncodeToString
		texts := []string{
			secret, "key=" + secret, "'" + secret + "'", "\n" + secret + "\n", url.QueryEscape(secret), url.PathEscape(secret), encode(t, secret),
			strings.ReplaceAll(strings.ReplaceAll(secret, `\`, `\\`), `'`, `\'`),
			b64([]byte(secret)), b64([]byte("x" + secret)), b64([]byte("user:" + secret)), b64([]byte("ab" + secret + "more")), hex.EncodeToString([]byte(secret)),
		}
		for i, text := range texts {
			if got, found := m.Text(text); found["MY_KEY"] != 1 || !strings.Contains(got, "[masked: MY_KEY]") || strings.Contains(got, secret) {
				t.Errorf("%d: %q became %q", i, text, got)
			}
			for _, v := range []any{map[string]string{"a": text}, encode(t, []string{text}), map[string]int{text: 1}} {
				got, found := m.Hide([]byte(encode(t, v)))
				if found.Total() != 1 || bytes.Contains(got, []byte(secret)) || !json.Valid(got) {
					t.Errorf("%d: %s", i, got)
				}
			}
		}
	}
}

// A short value is a word of its own, and a number in JSON stays one.
func TestNamedWithinWords(t *testing.T) {
	m := New()
	m.Know([]Secret{{"A_PASSWORD", "post-1"}, {"PIN_PASSWORD", "123456789012"}})
	for _, text := range []string{"apost-1", "post-10", "{\"n\":123456789012}", "[0.123456789012]"} {
		if got, found := m.Hide([]byte(text)); found != nil {
			t.Errorf("%s became %s", text, got)
		}
	}
	if got := m.String("post-1 and 123456789012"); got != "[masked: A_PASSWORD] and [masked: PIN_PASSWORD]" {
		t.Error(got)
	}
}

// What a limit has cut off, or what stands in two results, is recognised by a few characters.
func TestNamedCut(t *testing.T) {
	const secret = "9f2c7e1b4a6d8035-77ab-kq0xw1pz"
	m := New()
	m.Know([]Secret{{"MY_KEY", secret}})
	for i := edge; i <= len(secret)-edge; i++ {
		head, tail := secret[:i], secret[i:]
		for _, text := range []string{
			"out " + head + "\n… 900 bytes left out …\n" + tail + " in", "out " + head + "...", "…" + tail, "out " + head, tail + " in",
		} {
			for what, got := range map[string]string{
				"text": m.String(text), "JSON": string(m.JSON([]byte(encode(t, map[string]string{"t": text})))),
				"twice": string(m.JSON([]byte(encode(t, encode(t, text))))),
			} {
				if strings.Contains(text, head) && strings.Contains(got, head) || strings.Contains(text, tail) && strings.Contains(got, tail) {
					t.Errorf("%d, %s: %q became %q", i, what, text, got)
				}
			}
		}
	}
	if got := m.String(secret[:edge] + " is a word, and so is " + secret[:edge] + "x"); MarkIn([]byte(got)) != "" {
		t.Error(got)
	}
}

func TestKnowReplaces(t *testing.T) {
	m := New()
	m.Set(Easel, own)
	m.Know([]Secret{{"A", "abcdef-123"}})
	m.Know([]Secret{{"B", "ghijkl-456"}, {"C", "x"}, {"D", ""}})
	if got := m.String("abcdef-123 ghijkl-456 x " + own); got != "abcdef-123 [masked: B] x [Easel's token]" {
		t.Error(got)
	}
	if got := m.Names(); !slices.Equal(got, []string{"B", "C", "D"}) {
		t.Error(got)
	}
	if got := string(m.Tokens([]byte("ghijkl-456 " + own))); got != "ghijkl-456 [Easel's token]" || !m.Holds(own) || m.Holds("ghijkl-456") {
		t.Error(got)
	}
}
