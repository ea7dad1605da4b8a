package mask

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	digitsAndLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerHex         = "0123456789abcdef"
	capitals         = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// random returns n characters that look random, the same in each run.
func random(seed uint64, of string, n int) string {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = of[r.IntN(len(of))]
	}
	copy(b, "4b") // a digit and a letter
	if of == capitals || of == "0123456789" {
		copy(b, "42")
	}
	return string(b)
}

// examples returns a token of each form, with its name. No real token is in the source.
func examples() map[string][]string {
	an := func(n int) string { return random(uint64(n), digitsAndLetters, n) }
	hx := func(n int) string { return random(uint64(n), lowerHex, n) }
	up := func(n int) string { return random(uint64(n), capitals, n) }
	json := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	key := func(kind string) string {
		return "-----BEGIN " + kind + "-----\n" + an(64) + "\n" + an(60) + "==\n-----END " + kind + "-----"
	}
	return map[string][]string{
		"Anthropic key":        {"sk-ant-api03-" + an(40) + "-" + an(52) + "AA", "sk-ant-admin01-" + an(93) + "AA", "sk-ant-oat01-" + an(93)},
		"OpenAI key":           {"sk-proj-" + an(74) + "T3BlbkFJ" + an(74), "sk-svcacct-" + an(58) + "T3BlbkFJ" + an(58)},
		"API key":              {"sk-" + an(20) + "T3BlbkFJ" + an(20), "sk-" + hx(32)},
		"OpenRouter key":       {"sk-or-v1-" + hx(64)},
		"GitHub token":         {"ghp_" + an(36), "gho_" + an(36), "ghs_" + an(36), "github_pat_" + an(22) + "_" + an(59)},
		"GitLab token":         {"glpat-" + an(20), "glpat-" + an(27) + ".01." + an(9), "gldt-" + an(20)},
		"AWS access key":       {"AKIA" + up(16), "ASIA" + up(16)},
		"AWS Bedrock key":      {"ABSK" + an(120)},
		"Google key":           {"AIza" + an(35)},
		"Google client secret": {"GOCSPX-" + an(28)},
		"Slack token":          {"xoxb-1234567890123-1234567890123-" + an(24), "xapp-1-A0123456789-1234567890123-" + hx(64)},
		"Slack webhook":        {"hooks.slack.com/services/T" + up(10) + "/B" + up(10) + "/" + an(24)},
		"Discord webhook":      {"discord.com/api/webhooks/123456789012345678/" + an(68)},
		"Hugging Face token":   {"hf_" + random(3, digitsAndLetters[10:], 34)},
		"Stripe key":           {"sk_live_" + an(24), "rk_test_" + an(99)},
		"npm token":            {"npm_" + an(36)},
		"PyPI token":           {"pypi-AgEIcHlwaS5vcmc" + an(140)},
		"Databricks token":     {"dapi" + hx(32)},
		"SendGrid key":         {"SG." + an(22) + "." + an(43)},
		"Twilio key":           {"SK" + hx(32)},
		"Mailgun key":          {"key-" + hx(32)},
		"Mailchimp key":        {hx(32) + "-us12"},
		"DigitalOcean token":   {"dop_v1_" + hx(64)},
		"Notion token":         {"secret_" + an(43), "ntn_" + an(46)},
		"Airtable token":       {"pat" + an(14) + "." + hx(64)},
		"Grafana token":        {"glsa_" + an(32) + "_" + hx(8)},
		"Vault token":          {"hvs." + an(90)},
		"Terraform token":      {an(14) + ".atlasv1." + an(67)},
		"Groq key":             {"gsk_" + an(52)},
		"Replicate token":      {"r8_" + an(37)},
		"Postman key":          {"PMAK-" + hx(24) + "-" + hx(34)},
		"Telegram token":       {"1234567890:AA" + an(33)},
		"Azure client secret":  {"abc8Q~" + an(34)},
		"Azure key":            {"AccountKey=" + an(86) + "=="},
		"JSON Web Token":       {json(`{"alg":"HS256","typ":"JWT"}`) + "." + json(`{"sub":"1234567890"}`) + "." + an(43)},
		"private key":          {key("RSA PRIVATE KEY"), key("PRIVATE KEY"), key("OPENSSH PRIVATE KEY"), key("PGP PRIVATE KEY BLOCK")},
		"age key":              {"AGE-SECRET-KEY-1" + up(58)},
	}
}

// Each form is found wherever it is, and nothing of it is left.
func TestForms(t *testing.T) {
	m := New()
	for name, tokens := range examples() {
		for _, token := range tokens {
			for what, text := range map[string]string{
				"alone":        token,
				"assigned":     `key = "` + token + `"`,
				"at a line":    "first\n" + token + "\nlast",
				"after a tab":  "key:\t" + token,
				"in a list":    "['" + token + "', '" + token + "']",
				"in JSON":      encode(t, map[string]string{"k": token}),
				"in a URL":     "https://x.org/?key=" + token + "&a=1",
				"after %3D":    "key%3D" + token,
				"in colour":    "\x1b[31m" + token + "\x1b[0m",
				"in a comment": "# " + token + ".",
			} {
				got, found := m.Text(text)
				if found[name] == 0 || len(found) != 1 || strings.Contains(got, token[len(token)-12:]) {
					t.Errorf("%s, %s: %v in %s", name, what, found, got)
				}
				for depth, v := range []any{map[string]string{"stdout": text}, encode(t, map[string]any{"stdout": text})} {
					raw := []byte(encode(t, v))
					if got, found := m.Hide(raw); found[name] == 0 || bytes.Contains(got, []byte(token[len(token)-12:])) || !valid(got) {
						t.Errorf("%s, %s, depth %d: %v in %s", name, what, depth, found, got)
					}
				}
			}
		}
	}
	for _, c := range []struct{ text, want string }{
		{"postgresql://app:s3cr3t-pw@db:5432/x", "postgresql://app:[masked: password in a URL]@db:5432/x"},
		{"redis://:pa55word!@cache:6379", "redis://:[masked: password in a URL]@cache:6379"},
		{"Authorization: Bearer " + random(5, digitsAndLetters, 40), "Authorization: Bearer [masked: Authorization]"},
		{"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:l0velace")), "Authorization: Basic [masked: Authorization]"},
		{`aws_secret_access_key = ` + random(6, digitsAndLetters, 40), `aws_secret_access_key = [masked: AWS secret key]`},
		{"https://a.blob.core.windows.net/c?sv=2&sig=" + random(8, digitsAndLetters, 43) + "%3D", "https://a.blob.core.windows.net/c?sv=2&sig=[masked: Azure signature]"},
	} {
		if got := m.String(c.text); got != c.want {
			t.Errorf("%s became %s", c.text, got)
		}
	}
}

func valid(b []byte) bool { return len(b) == 0 || jsonValid(b) }

// What is ordinary stays as it is, byte for byte.
func TestOrdinary(t *testing.T) {
	m := New()
	picture := base64.StdEncoding.EncodeToString([]byte(random(9, digitsAndLetters, 300_000)))
	for _, text := range []string{
		"commit 4a9b855a3b1c9d2e4f5061728394a5b6c7d8e9f0", "d41d8cd98f00b204e9800998ecf8427e", "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "KEY_COLUMN=customer_id", "HOME=/root PATH=/usr/local/bin:/usr/bin",
		"http://localhost:8888/lab", "postgresql://user:password@localhost/db", "https://user:${TOKEN}@host", "ssh://git@github.com:22/x", "mailto://a@b.c",
		"sk-container-id-12 sk-toggleable__control sk-estimator-doc-link", "import hf_transfer; hf_hub_download('x')", "sk-learn task-force-1234567890123456789012345",
		"ghp_ is how they begin", "Bearer {HF_TOKEN}", "Bearer <your token>", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "AKIAIOSFODNN7EXAMPLE", "npm_config_registry",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "---------|----------|------",
		"   id                                   hash\n0   1  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "a:AAAA", "2024-01-01T00:00:00Z", "0x7f8b1c2d3e4f", "patience.", "sig=1",
		picture, "data:image/png;base64," + picture,
	} {
		if got, found := m.Text(text); found != nil {
			t.Errorf("%.80s became %.80s: %v", text, got, found)
		}
	}
}

// A private key is hidden also if its middle was left out of the text.
func TestPrivateKeyCut(t *testing.T) {
	body := random(1, digitsAndLetters, 64) + "\n" + random(2, digitsAndLetters, 64) + "\n"
	head, tail := "-----BEGIN PRIVATE KEY-----\n"+body, body+"-----END PRIVATE KEY-----"
	text := "key:\n" + head + "… 900 bytes left out …\n" + tail + "\nend"
	for _, got := range []string{New().String(text), string(New().JSON([]byte(encode(t, map[string]string{"t": text})))), string(New().JSON([]byte(encode(t, encode(t, text)))))} {
		if strings.Contains(got, body[:20]) || strings.Contains(got, body[70:90]) || !strings.Contains(got, "900 bytes") || !strings.Contains(got, "end") {
			t.Error(got)
		}
	}
}

func TestMarkIn(t *testing.T) {
	m := New()
	m.Know([]Secret{{"A B\"C", "8f3a-9c2e-77aa"}})
	var all []string
	for _, tokens := range examples() {
		all = append(all, tokens[0])
	}
	for _, text := range append(all, "8f3a-9c2e-77aa", "postgresql://app:s3cr3t-pw@db") {
		if got := m.String(text); MarkIn([]byte(got)) == "" {
			t.Errorf("no mark in %s", got)
		}
	}
	if got := MarkIn([]byte("a[0] = masked[1]; [masked:]")); got != "" {
		t.Error(got)
	}
}

func BenchmarkHide(b *testing.B) {
	m := newMask()
	var secrets []Secret
	for i := range 100 {
		secrets = append(secrets, Secret{fmt.Sprintf("NAME_%d", i), random(uint64(100+i), digitsAndLetters, 40)})
	}
	m.Know(secrets)
	for what, text := range map[string]string{
		"prose": encode2(1_000_000), "base64": `{"data":"` + random(1, digitsAndLetters+"+/", 1_000_000) + `"}`,
		"dashes": `"` + strings.Repeat("-", 1_000_000) + `"`, "begins": `"` + strings.Repeat("-----BEGIN PRIVATE KEY-----", 37_000) + `"`,
		"secrets": `"` + strings.Repeat(secrets[7].Value+" ", 24_000) + `"`, "addresses": `"` + strings.Repeat("https://a:", 100_000) + `"`,
		"prefixes": `"` + strings.Repeat("sk-ant-", 140_000) + `"`, "tokens": `"` + strings.Repeat("-eyJ0123456789ab", 62_000) + `"`, "names": `"` + strings.Repeat("ecretAccessKey", 70_000) + `"`,
	} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.JSON([]byte(text))
			}
		})
	}
}

func TestATextThatIsTheSameButForMarks(t *testing.T) {
	for _, c := range []struct {
		masked, whole string
		want          bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a = '[masked: KEY]'", "a = 'tiger'", true},
		{"a = '[masked: KEY]'", "b = 'tiger'", false},
		{"[masked: A] and [masked: B]", "x and y", true},
		{"[masked: A] and [masked: B]", "x or y", false},
		{"ab[masked: A]ba", "aba", false},
		{"[Easel's token]\n", "tok\n", true},
	} {
		if got := SameBut(c.masked, c.whole); got != c.want {
			t.Errorf("%q and %q: %v", c.masked, c.whole, got)
		}
	}
}

// TestATokenInTwoLinesIsHidden covers tokens that a terminal, a file or two calls of print put into two lines.
func TestATokenInTwoLinesIsHidden(t *testing.T) {
	begin, end := "ghp_a1B2c3D4e5F6", "g7H8i9J0k1L2m3N4o5P6q7R8"
	m := New()
	for _, between := range []string{"\n", "\r\n", `\n`, `\r\n`, "\n    ", "'\n '", `'\n '`, `\"\n \"`} {
		got, found := m.Text("a " + begin + between + end + " b")
		if got != "a [masked: GitHub token] b" || found.Total() != 1 {
			t.Errorf("%q: %s", between, got)
		}
	}
	for _, text := range []string{
		begin + "\n" + end[:10], begin + "\n\n" + end, begin + " " + end, begin + "\nwords that follow in the next line of the text", "ghp_short\n" + end,
		"key-value pairs\nand abcdef0123456789abcdef0123456789",
	} {
		if got := m.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
