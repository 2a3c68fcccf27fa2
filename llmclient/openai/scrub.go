package openai

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
)

const (
	messageRunesMax = 300       // of a failure's message
	labelRunesMax   = 120       // of an id, a code, a model name
	cleanBytesMax   = 64 * 1024 // of a text before it is cleaned

	// secretBytesMin is the length from which a key is searched in texts. Shorter
	// ones are placeholders of local servers, and removing them would make a
	// message unreadable.
	secretBytesMin = 4
	// encodedBytesMin is the length from which it is searched in other codes too.
	encodedBytesMin = 12
)

var (
	tokenText  = regexp.MustCompile(`\bsk-[\w.*-]+`)
	bearerText = regexp.MustCompile(`(?i)\bbearer\s+\S+`)
	pairText   = regexp.MustCompile(`(?i)\b([\w-]*(?:key|token|secret|password)=)[^\s&"']+`)
)

// scrubber turns text from a server into text that may be shown: one line, no
// control characters, no secret, of bounded length.
type scrubber struct {
	// known removes the configured secrets. It is a function because package fmt
	// prints no more of one than its address.
	known func(string) string
}

// newScrubber returns a scrubber that also removes the given secrets, however a server
// repeats them: as they are, in base64 or in hexadecimal digits, and all that with
// characters written as JSON escapes.
func newScrubber(secrets ...string) scrubber {
	var all []string
	for _, s := range secrets {
		if len(s) < secretBytesMin {
			continue
		}
		all = append(all, s)
		if len(s) < encodedBytesMin {
			continue
		}
		all = append(all, hex.EncodeToString([]byte(s)))
		// Within a longer text it begins at any of three places of a group, and shares its
		// first and last group with what is around it.
		for before := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", before) + s + "  "))
			text = text[(before*8+5)/6 : (before+len(s))*8/6]
			all = append(all, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
		}
	}
	// The longest comes first: one secret may be the beginning of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s, secretMark)
	}
	replace := strings.NewReplacer(pairs...).Replace
	var marks []string // one of them is in every text that holds a secret
	if len(all) > 0 {
		marks = append(all, `\u00`, `\/`)
	}
	return scrubber{known: func(text string) string {
		if !slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) }) {
			return text
		}
		text = replace(text)
		if !strings.Contains(text, `\u00`) && !strings.Contains(text, `\/`) {
			return text
		}
		plain := escapedText.ReplaceAllStringFunc(text, func(escape string) string {
			if strings.HasSuffix(escape, "/") {
				return "/"
			}
			code, _ := strconv.ParseUint(escape[len(escape)-2:], 16, 8) // as it was matched
			return string(rune(code))
		})
		if clean := replace(plain); clean != plain {
			return clean
		}
		return text // byte for byte
	}}
}

// escapedText matches the escape of a character that needs none in JSON, in nested texts
// too.
var escapedText = regexp.MustCompile(`\\+(?:/|u00(?i:2[013-9a-f]|[346][0-9a-f]|5[0-9abd-f]|7[0-9a-e]))`)

// Masked returns text without the given secrets and without what looks like a key of
// OpenAI, wherever they came from. It is for texts that people gave, such as the value
// of a setting, before they are shown.
func Masked(text string, secrets ...Secret) string {
	known := make([]string, len(secrets))
	for i, s := range secrets {
		known[i] = s.Reveal()
	}
	return tokenText.ReplaceAllString(newScrubber(known...).known(text), secretMark)
}

// quotedMax bounds how much of a refused value an error repeats.
const quotedMax = 80

// Quoted quotes a value that people gave, for an error: at most 80 characters, on one line, and
// [Masked].
func Quoted(text string) string { return strconv.Quote(plaintext.Clip(Masked(text), quotedMax)) }

// message returns text fit for a failure's message.
func (s scrubber) message(text string) string { return plaintext.Clip(s.clean(text), messageRunesMax) }

// label returns text fit for a short field, such as an error code.
func (s scrubber) label(text string) string { return plaintext.Clip(s.clean(text), labelRunesMax) }

// clean removes first what cannot be seen and then the secrets, because a secret
// with an invisible character inside would pass the other way round.
func (s scrubber) clean(text string) string {
	text = plaintext.Line(strings.ToValidUTF8(text[:min(len(text), cleanBytesMax)], ""))
	text = s.known(text)
	text = tokenText.ReplaceAllString(text, secretMark)
	text = bearerText.ReplaceAllString(text, "Bearer "+secretMark)
	return pairText.ReplaceAllString(text, "${1}"+secretMark)
}
