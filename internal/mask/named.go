package mask

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Secrets returns those of some variables whose values look secret, in their order, and the
// passwords in addresses.
func Secrets(variables []Secret) (all []Secret) {
	for _, v := range variables {
		switch {
		case IsSecret(v.Name, v.Value):
			all = append(all, v)
		default:
			if password := passwordIn(v.Value); password != "" {
				all = append(all, Secret{v.Name, password})
			}
		}
	}
	return all
}

// passwordIn returns the password of an address, as it is after decoding; the address itself
// is found by its form.
func passwordIn(value string) string {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	if len(password) < edge || isPlaceholder(password) || isOrdinary(password) {
		return ""
	}
	return password
}

// Words of names of variables. A name whose last word is in notSecret says something about a
// secret, for example where it is.
var (
	secretWords = words(`TOKEN SECRET SECRETS PASSWORD PASSWD PASSPHRASE PASSCODE PWD PASS APIKEY CREDENTIAL CREDENTIALS
		CREDS DSN COOKIE JWT PAT KEY AUTH BEARER SALT PEPPER WEBHOOK`)
	secretEnds = words(`TOKEN SECRET PASSWORD PASSWD PASSPHRASE APIKEY CREDENTIALS SECRETKEY ACCESSKEY AUTHKEY`)
	weakWords  = words(`KEY AUTH SALT PEPPER DSN PAT WEBHOOK COOKIE PASS`)
	notSecret  = words(`FILE PATH DIR FOLDER COLUMN COL FIELD NAME ID USER USERNAME EMAIL HOST PORT ENDPOINT TYPE ALGORITHM ALG
		LENGTH SIZE COUNT TTL EXPIRES EXPIRY EXPIRATION TIMEOUT ENABLED MODE HEADER PREFIX PROVIDER METHOD LIMIT VERSION REGION
		SOCK SOCKET STYLE SCHEME PARALLELISM COMMAND PROGRAM ASKPASS STORE BACKEND FORMAT LAYOUT BINDINGS AGENT SCOPE SCOPES
		DOMAIN TENANT`)
	publicNames = words(`PWD OLDPWD GPG_KEY SSH_ASKPASS GIT_ASKPASS SUDO_ASKPASS XAUTHORITY SSH_AUTH_SOCK SESSION_MANAGER
		DBUS_SESSION_BUS_ADDRESS KEYTIMEOUT`)
)

func words(list string) []string { return strings.Fields(list) }

// IsSecret reports whether the value of an environment variable looks secret: because of the
// variable's name, if the value is no path, number, flag or ordinary word.
func IsSecret(name, value string) bool {
	upper := strings.ToUpper(name)
	parts := strings.FieldsFunc(upper, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
	if len(parts) == 0 || slices.Contains(publicNames, upper) || slices.Contains(notSecret, parts[len(parts)-1]) {
		return false
	}
	strong, weak := false, false
	for _, w := range parts {
		known := slices.Contains(secretWords, w) || slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(w, end) })
		weak = weak || known
		strong = strong || known && !slices.Contains(weakWords, w)
	}
	switch {
	case isPlain(value) && looksLikePath(value), strings.Contains(value, "://") && !strings.Contains(value, "@"):
		return false
	case strong:
		return isPassword(value)
	case weak:
		return isPassword(value) && len(value) >= unbounded && hasDigits([]byte(value))
	}
	return false
}

// isPassword reports whether a value is long and unusual enough that text which has it has it
// from there.
func isPassword(value string) bool {
	switch {
	case len(value) < edge || different([]byte(value)) < 5 || isPlaceholder(value):
		return false
	case isOrdinary(value):
		return len(value) >= 2*edge
	}
	return true
}

var (
	ordinary = regexp.MustCompile(`^(?:[a-z]+[ _.:/-]?)*[a-z]+\d{0,2}$|^(?:[A-Z]+[ _.-]?)*[A-Z]+\d{0,2}$|^[A-Z][a-z]+\d{0,2}$`)
	numeric  = regexp.MustCompile(`^[\d.,:eE+-]{1,11}$|^\d{4}-\d\d-\d\d`)
	path     = regexp.MustCompile(`^(?:~|\.{1,2})?/[\w.@+~ -]+(?:/|$)|^[A-Za-z]:\\|^\\\\`)
)

// isOrdinary reports whether a value may be a word, a name such as customer_id, or a number.
func isOrdinary(value string) bool { return ordinary.MatchString(value) || numeric.MatchString(value) }

func looksLikePath(value string) bool {
	return path.MatchString(value) && !strings.ContainsAny(value, "+=")
}

// Variables returns the variables of a .env file, in the order in which it sets them.
func Variables(file []byte) (all []Secret) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	for len(file) > 0 {
		var line []byte
		line, file, _ = bytes.Cut(file, []byte("\n"))
		text := strings.TrimSpace(string(line))
		text = strings.TrimSpace(strings.TrimPrefix(text, "export "))
		name, value, ok := strings.Cut(text, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || name[0] == '#' || strings.ContainsAny(name, " \t'\"") {
			continue
		}
		if quote := strings.IndexByte(`'"`+"`", (value + " ")[0]); quote >= 0 {
			value, file = unquoted(value, file)
		} else if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		all = append(all, Secret{name, value})
	}
	return all
}

// unquoted returns a value that begins with a quote, and the rest of the file: the value may have
// several lines.
func unquoted(value string, file []byte) (string, []byte) {
	quote := value[0]
	text := value[1:] + "\n" + string(file)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			rest := text[i+1:]
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				rest = rest[n+1:]
			}
			return b.String(), []byte(rest)
		case text[i] == '\\' && quote == '"' && i+1 < len(text):
			i++
			if c := strings.IndexByte("nrt", text[i]); c >= 0 {
				b.WriteByte("\n\r\t"[c])
			} else {
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return strings.TrimSpace(value[1:]), file // the quote has no end: only its line
}
