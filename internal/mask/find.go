package mask

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// These find the tokens that do not simply begin with a literal. See form.find.

// mostToken is the length of the longest token or part of one, in bytes.
const mostToken = 8000

// webToken finds a JSON Web Token: three parts in base64, of which two are JSON objects.
func webToken(text []byte, i, _ int) (from, to int) {
	if !begins(text, i) || i > 0 && text[i-1] == '-' {
		return 0, 0
	}
	header := wordDash.run(text, i, mostToken)
	if header-i < 12 || !bytes.HasPrefix(text[header:], []byte(".eyJ")) {
		return 0, 0
	}
	payload := wordDash.run(text, header+1, mostToken)
	if payload == len(text) || text[payload] != '.' {
		if cutAfter(text, payload) {
			return i, payload
		}
		return 0, 0
	}
	return i, wordDash.run(text, payload+1, mostToken)
}

// inKey are the characters between the lines of a private key; the lines break with \n in JSON.
var inKey = setOf("0-9A-Za-z+/=\\ \n\r\t:,")

// privateKey finds a private key from its first line on, as far as it is there.
func privateKey(text []byte, i, _ int) (from, to int) {
	first := text[i:min(len(text), i+60)]
	n := bytes.Index(first, []byte("PRIVATE KEY"))
	if n < 0 || bytes.IndexByte(first[:n], '\n') >= 0 {
		return 0, 0
	}
	at := i + n + len("PRIVATE KEY")
	if bytes.HasPrefix(text[at:], []byte(" BLOCK")) {
		at += len(" BLOCK")
	}
	if !bytes.HasPrefix(text[at:], []byte("-----")) {
		return 0, 0
	}
	at += len("-----")
	end := at
	for {
		end = inKey.run(text, end, len(text))
		if bytes.HasPrefix(text[end:], []byte("-----END ")) {
			return i, endLine(text, end)
		}
		if end+1 < len(text) && text[end] == '-' && text[end+1] != '-' { // in a header, such as Proc-Type
			end++
			continue
		}
		break
	}
	if end > 0 && text[end-1] == '\\' && end < len(text) && text[end] == '"' { // belongs to the quote
		end = len(bytes.TrimRight(text[:end], `\`))
	}
	if end-at < 32 {
		return 0, 0
	}
	return i, end
}

// endLine returns the end of the last line of a private key, which begins at a position.
func endLine(text []byte, at int) int {
	rest := text[at+len("-----END "):]
	if n := bytes.Index(rest[:min(len(rest), 60)], []byte("-----")); n >= 0 {
		return at + len("-----END ") + n + len("-----")
	}
	return at + len("-----END ")
}

// privateKeyEnd finds the end of a private key whose beginning has been cut off.
func privateKeyEnd(text []byte, i, floor int) (from, to int) {
	end := endLine(text, i)
	if !bytes.Contains(text[i:end], []byte("PRIVATE KEY")) {
		return 0, 0
	}
	from = inKey.back(text, i, floor)
	for from < i && strings.IndexByte(`\ "`, text[from]) >= 0 || from < i && from > 0 && text[from-1] == '\\' {
		from++
	}
	return from, end
}

// urlPassword finds the password in scheme://user:password@host.
func urlPassword(text []byte, i, _ int) (from, to int) {
	if i == 0 || !isAlnum(text[i-1]) {
		return 0, 0
	}
	const most = 300
	rest := text[i+3 : min(len(text), i+3+most)]
	end := bytes.IndexAny(rest, "/?# \t\r\n\"'<>\\`|,")
	if end >= 0 {
		rest = rest[:end]
	}
	at := bytes.LastIndexByte(rest, '@')
	colon := bytes.IndexByte(rest, ':')
	if at < 0 || colon < 0 || colon > at || at+1 == len(rest) {
		return 0, 0
	}
	password := rest[colon+1 : at]
	if len(password) < 3 || isPlaceholder(string(password)) {
		return 0, 0
	}
	return i + 3 + colon + 1, i + 3 + at
}

// isPlaceholder reports whether a value stands for a secret in examples, or is masked already.
func isPlaceholder(s string) bool {
	if strings.ContainsAny(s, "{}$<>*[]%…") && !strings.ContainsAny(s, "0123456789") || different([]byte(s)) < 3 {
		return true
	}
	switch strings.ToLower(s) {
	case "password", "passwd", "pass", "pwd", "secret", "token", "mypassword", "my_password", "your_password", "yourpassword",
		"changeme", "example", "user":
		return true
	}
	return strings.HasPrefix(s, "[masked") || strings.HasPrefix(s, "${") || strings.HasPrefix(s, "{")
}

// authorization finds the token of an Authorization header.
func authorization(text []byte, i, _ int) (from, to int) {
	if i == 0 || text[i-1]|0x20 != 'b' {
		return 0, 0
	}
	at := i + len("earer ")
	end := bearer.run(text, at, mostToken)
	if end-at < 20 || !hasDigits(text[at:end]) || different(text[at:end]) < 8 {
		return 0, 0
	}
	return at, end
}

// basic finds name and password of an Authorization header.
func basic(text []byte, i, _ int) (from, to int) {
	at := i + len("Basic ")
	end := base.run(text, at, 401)
	if end-at < 8 || end-at > 400 {
		return 0, 0
	}
	plain, err := base64.RawStdEncoding.DecodeString(string(text[at:end]))
	if err != nil || bytes.IndexByte(plain, ':') < 1 || bytes.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == '\ufffd' }) {
		return 0, 0
	}
	for end < len(text) && text[end] == '=' {
		end++
	}
	return at, end
}

func telegram(text []byte, i, floor int) (from, to int) {
	from, to = digits.back(text, i, floor), wordDash.run(text, i+1, 36)
	if n := i - from; n < 8 || n > 11 || to-i-1 != 35 || !begins(text, from) {
		return 0, 0
	}
	return from, to
}

var inSignature = setOf("0-9A-Za-z%+/=")

// azureSignature finds the signature of an address with rights to a storage account.
func azureSignature(text []byte, i, _ int) (from, to int) {
	if i == 0 || strings.IndexByte("?&6;", text[i-1]) < 0 { // \u0026 is &
		return 0, 0
	}
	from = i + len("sig=")
	to = inSignature.run(text, from, 81)
	if n := to - from; n < 43 || n > 80 || !isMixed(text[from:to]) {
		return 0, 0
	}
	return from, to
}

var inAzure = setOf("0-9A-Za-z_~.-")

func azureSecret(text []byte, i, floor int) (from, to int) {
	from, to = i-3, inAzure.run(text, i, 39)
	for text[to-1] == '.' { // the end of a sentence
		to--
	}
	if n := to - i; from < floor || n < 34 || n > 37 || escapeEnd(text, from) != from || !begins(text, from) {
		return 0, 0
	}
	if inAzure.back(text, i, from) != from {
		return 0, 0
	}
	return from, to
}

func airtable(text []byte, i, _ int) (from, to int) {
	dot := alnum.run(text, i+3, 15)
	if dot-i-3 != 14 || dot == len(text) || text[dot] != '.' || !begins(text, i) {
		return 0, 0
	}
	if to = hexes.run(text, dot+1, 65); to-dot-1 != 64 {
		return 0, 0
	}
	return i, to
}

func terraform(text []byte, i, floor int) (from, to int) {
	from, to = i-14, dotted.run(text, i+len(".atlasv1."), 200)
	if from < floor || alnum.back(text, i, from) != from || to-i < 60 {
		return 0, 0
	}
	return escapeEnd(text, from), to
}

func mailchimp(text []byte, i, floor int) (from, to int) {
	from, to = i-32, digits.run(text, i+3, 3)
	if from < floor || hexes.back(text, i, from) != from || to == i+3 || to > i+5 || !begins(text, from) {
		return 0, 0
	}
	return from, to
}
