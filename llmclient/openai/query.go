package openai

import (
	"net/url"
	"regexp"
	"strings"
)

// plainValueMax is the longest query value that is printed: versions and
// deployment names are shorter, keys are longer.
const plainValueMax = 24

// secretName matches the names under which gateways take keys. A harmless value
// that is masked costs little, a key that is printed costs much, so it is wide.
var secretName = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|sig|auth|cred|sas|code`)

// maskedQuery returns a raw query with its question mark, every value that looks
// like a secret replaced. The order of the parameters is kept.
func maskedQuery(raw string) string {
	if raw == "" {
		return ""
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		if name, value, found := strings.Cut(pair, "="); secretPair(name, value, found) {
			pairs[i] = name + "=" + secretMark
			if !found {
				pairs[i] = secretMark
			}
		}
	}
	return "?" + strings.Join(pairs, "&")
}

// querySecrets returns the values of a raw query that look like secrets, as
// written and decoded.
func querySecrets(raw string) []string {
	var found []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, named := strings.Cut(pair, "=")
		if !secretPair(name, value, named) {
			continue
		}
		if !named {
			value = name
		}
		found = append(found, value, unescaped(value))
	}
	return found
}

// secretPair reports whether one parameter looks like a secret: by its name, by
// the length of its value or, when it has no value, by its own length.
func secretPair(name, value string, named bool) bool {
	if !named {
		return len(name) > plainValueMax
	}
	return value != "" && (secretName.MatchString(unescaped(name)) || len(value) > plainValueMax || tokenText.MatchString(value))
}

// unescaped returns s decoded, or as it is when it cannot be decoded.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
