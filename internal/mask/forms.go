package mask

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// A form is a form that tokens of a service have.
type form struct {
	name    string
	literal string // what each of them has; at least gram bytes
	// find returns where the token is whose literal is at a position of a text; to is 0 if there is
	// none. It takes nothing before floor.
	find func(text []byte, i, floor int) (from, to int)
}

// A charset is a set of bytes.
type charset [256]bool

func setOf(ranges string) *charset {
	var s charset
	for i := 0; i < len(ranges); i++ {
		if i+2 < len(ranges) && ranges[i+1] == '-' {
			for b := int(ranges[i]); b <= int(ranges[i+2]); b++ {
				s[b] = true
			}
			i += 2
			continue
		}
		s[ranges[i]] = true
	}
	return &s
}

// run returns the end of the characters of s that begin at a position, at most so many.
func (s *charset) run(text []byte, at, most int) int {
	for most = min(len(text), at+most); at < most && s[text[at]]; {
		at++
	}
	return at
}

// back returns the beginning of the characters of s that end at a position, not before floor.
func (s *charset) back(text []byte, at, floor int) int {
	for at > floor && s[text[at-1]] {
		at--
	}
	return at
}

var (
	digits   = setOf("0-9")
	hexes    = setOf("0-9a-fA-F")
	alnum    = setOf("0-9A-Za-z")
	word     = setOf("0-9A-Za-z_")
	wordDash = setOf("0-9A-Za-z_-")
	dotted   = setOf("0-9A-Za-z_=.-")
	upper    = setOf("0-9A-Z")
	base     = setOf("0-9A-Za-z+/")
	bearer   = setOf("0-9A-Za-z._~+/=-")
	slashed  = setOf("0-9A-Za-z_/-")
)

// forms are the published forms of tokens, of which one with a longer literal comes first, so
// that its name counts. The figures are how many characters follow the literal.
var forms = slices.Concat(
	prefixed("Anthropic key", wordDash, 20, 300, "sk-ant-"),
	prefixed("OpenAI key", wordDash, 40, 300, "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
	prefixed("OpenRouter key", wordDash, 32, 100, "sk-or-"),
	prefixed("API key", alnum, 32, 80, "sk-"),
	prefixed("Easel client token", wordDash, 32, 32, "easel_client_"),
	prefixed("GitHub token", word, 36, 255, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	prefixed("GitHub token", word, 22, 255, "github_pat_"),
	prefixed("GitLab token", dotted, 20, 320, "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-"),
	prefixed("GitLab token", dotted, 20, 320, "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-"),
	prefixed("AWS access key", upper, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA"),
	prefixed("AWS Bedrock key", base, 100, 300, "ABSK"),
	assigned("AWS secret key", base, 40, "ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
	prefixed("Google key", wordDash, 35, 35, "AIza"),
	prefixed("Google client secret", wordDash, 24, 40, "GOCSPX-"),
	prefixed("Google token", wordDash, 30, 2000, "ya29."),
	prefixed("Slack token", wordDash, 16, 300, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.xox", "xapp-"),
	prefixed("Slack webhook", slashed, 40, 70, "hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"),
	prefixed("Discord webhook", slashed, 70, 120, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
	mixed("Hugging Face token", alnum, 30, 40, "hf_", "api_org_"),
	prefixed("Stripe key", alnum, 16, 120, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"),
	prefixed("Webhook secret", base, 24, 80, "whsec_"),
	prefixed("npm token", alnum, 36, 36, "npm_"),
	prefixed("PyPI token", wordDash, 50, 1000, "pypi-AgE"),
	prefixed("Databricks token", hexes, 32, 32, "dapi"),
	prefixed("SendGrid key", dotted, 60, 70, "SG."),
	prefixed("Brevo key", wordDash, 64, 100, "xkeysib-"),
	prefixed("Mailgun key", hexes, 32, 32, "key-"),
	prefixed("Twilio key", hexes, 31, 31, hexadecimals("SK")...),
	prefixed("DigitalOcean token", hexes, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_"),
	prefixed("Doppler token", alnum, 40, 44, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
	prefixed("Linear key", alnum, 40, 48, "lin_api_"),
	prefixed("Notion token", alnum, 43, 50, "ntn_", "secret_"),
	prefixed("Shopify token", hexes, 32, 32, "shpat_", "shpca_", "shppa_", "shpss_"),
	prefixed("Square token", wordDash, 22, 60, "sq0atp-", "sq0csp-"),
	prefixed("Grafana token", word, 41, 41, "glsa_"),
	prefixed("Grafana token", bearer, 32, 400, "glc_"),
	prefixed("Vault token", wordDash, 24, 300, "hvs.", "hvb.", "hvr."),
	prefixed("Pulumi token", hexes, 40, 40, "pul-"),
	prefixed("Postman key", wordDash, 59, 59, "PMAK-"),
	prefixed("Replicate token", alnum, 37, 40, "r8_"),
	prefixed("Groq key", alnum, 48, 60, "gsk_"),
	prefixed("xAI key", alnum, 60, 100, "xai-"),
	prefixed("Perplexity key", alnum, 40, 60, "pplx-"),
	prefixed("Tavily key", wordDash, 28, 60, "tvly-"),
	prefixed("LangSmith key", word, 36, 60, "lsv2_pt_", "lsv2_sk_"),
	prefixed("NVIDIA key", wordDash, 60, 80, "nvapi-"),
	prefixed("Pinecone key", word, 40, 100, "pcsk_"),
	prefixed("Supabase key", word, 30, 60, "sbp_", "sb_secret_"),
	prefixed("wandb key", word, 40, 120, "wandb_v1_"),
	prefixed("Kaggle token", hexes, 32, 32, "KGAT_"),
	prefixed("Docker token", wordDash, 27, 40, "dckr_pat_", "dckr_oat_"),
	prefixed("Figma token", wordDash, 36, 60, "figd_"),
	prefixed("Sentry token", dotted, 40, 300, "sntrys_", "sntryu_"),
	prefixed("New Relic key", upper, 27, 27, "NRAK-"),
	prefixed("PlanetScale token", dotted, 32, 64, "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
	prefixed("RubyGems key", hexes, 48, 48, "rubygems_"),
	prefixed("age key", upper, 58, 58, "AGE-SECRET-KEY-1"),
	prefixed("Atlassian token", dotted, 100, 300, "ATATT3"),
	prefixed("Heroku key", wordDash, 58, 64, "HRKU-AA"),
	prefixed("Alibaba key", alnum, 20, 20, "LTAI"),
	prefixed("1Password token", base, 200, 2000, "ops_eyJ"),
	prefixed("Fly.io token", base, 100, 2000, "fm2_", "fm1r_", "fm1a_"),
	prefixed("Azure key", base, 86, 88, "AccountKey="),
	prefixed("Azure key", base, 40, 60, "SharedAccessKey=", "SharedAccessSignature="),
	[]form{
		{"JSON Web Token", "eyJ", webToken},
		{"private key", "-----BEGIN ", privateKey},
		{"private key", "-----END ", privateKeyEnd},
		{"password in a URL", "://", urlPassword},
		{"Authorization", "earer ", authorization},
		{"Authorization", "Basic ", basic},
		{"Telegram token", ":AA", telegram},
		{"Azure signature", "sig=", azureSignature},
		{"Airtable token", "pat", airtable},
		{"Terraform token", ".atlasv1.", terraform},
		{"Mailchimp key", "-us", mailchimp},
	},
	middle("Azure client secret", "Q~", azureSecret),
)

// hexadecimals returns a prefix of two letters with each hexadecimal digit.
func hexadecimals(prefix string) (all []string) {
	for _, d := range "0123456789abcdefABCDEF" {
		all = append(all, prefix+string(d))
	}
	return all
}

// middle returns the forms of tokens that have two letters after a digit.
func middle(name, letters string, find func(text []byte, i, floor int) (from, to int)) (all []form) {
	for d := '0'; d <= '9'; d++ {
		all = append(all, form{name, string(d) + letters, find})
	}
	return all
}

// prefixed returns the forms of tokens that begin with a literal, which least to most characters
// of a set follow. If the text seems to be cut there, fewer are enough.
func prefixed(name string, of *charset, least, most int, literals ...string) (all []form) {
	for _, literal := range literals {
		all = append(all, form{name, literal, func(text []byte, i, _ int) (from, to int) {
			at := i + len(literal)
			end := of.run(text, at, most+1)
			n := end - at
			if !begins(text, i) || n > most || different(text[at:end]) < 5 || bytes.HasSuffix(text[at:end], []byte("EXAMPLE")) {
				return 0, 0
			}
			part := n >= edge && n < least && hasDigits(text[at:end])
			if part {
				if to := wrapped(text, end, of, least-n, most-n); to > 0 {
					return i, to
				}
			}
			cut := part && cutAfter(text, end)
			if n < least && !cut || n >= least && of != upper && !isMixed(text[at:end]) {
				return 0, 0
			}
			for end < len(text) && text[end] == '=' && of == base {
				end++
			}
			return i, end
		}})
	}
	return all
}

// wrapped returns where a token ends whose rest is in the next line, as a terminal, a YAML file or two calls of print put it;
// 0 if it is not there.
func wrapped(text []byte, at int, of *charset, least, most int) int {
	rest := text[at:min(len(text), at+40)]
	gap := lineGap.FindIndex(rest)
	if gap == nil {
		return 0
	}
	from := at + gap[1]
	end := of.run(text, from, most+1)
	if n := end - from; n < max(least, edge) || n > most || !isMixed(text[from:end]) {
		return 0
	}
	return end
}

// lineGap matches what is between two lines of a text or of JSON, also in quotes as Python writes them.
var lineGap = regexp.MustCompile(`^(?:\\?["'])?(?:\r?\n|(?:\\r)?\\n)(?: |\t|\\t){0,16}(?:\\?["'])?`)

// hasDigits reports whether a text has digits among letters.
func hasDigits(text []byte) bool { return bytes.ContainsAny(text, "0123456789") && isMixed(text) }

// isMixed reports whether a text has digits and letters, or letters of both cases, as tokens that are
// made at random.
func isMixed(text []byte) bool {
	var digit, small, large bool
	for _, b := range text {
		digit = digit || b >= '0' && b <= '9'
		small = small || b >= 'a' && b <= 'z'
		large = large || b >= 'A' && b <= 'Z'
	}
	return digit && (small || large) || small && large
}

// mixed is prefixed for tokens that need no digit, but have letters of both cases.
func mixed(name string, of *charset, least, most int, literals ...string) (all []form) {
	for _, literal := range literals {
		all = append(all, form{name, literal, func(text []byte, i, _ int) (from, to int) {
			at := i + len(literal)
			end := of.run(text, at, most+1)
			token := text[at:end]
			if end-at < least || end-at > most || !begins(text, i) || different(token) < 8 || !isMixed(token) {
				return 0, 0
			}
			return i, end
		}})
	}
	return all
}

// assigned returns the forms of values that are assigned to a name.
func assigned(name string, of *charset, size int, literals ...string) (all []form) {
	for _, literal := range literals {
		all = append(all, form{name, literal, func(text []byte, i, _ int) (from, to int) {
			at := i + len(literal)
			for n := 0; n < 16 && at < len(text) && strings.IndexByte(` \"':=`, text[at]) >= 0; n++ {
				at++
			}
			end := of.run(text, at, size+1)
			if end-at != size || !isMixed(text[at:end]) || different(text[at:end]) < 12 {
				return 0, 0
			}
			return at, end
		}})
	}
	return all
}
