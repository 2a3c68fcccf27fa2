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

// maskedQuery returns a raw query with its question mark, every value that looks like a
// secret replaced, and those values, as written and decoded. A parameter looks like a
// secret by its name, by its value or, when it has none, by its own length. The order of
// the parameters is kept.
func maskedQuery(raw string) (masked string, secrets []string) {
	if raw == "" {
		return "", nil
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, named := strings.Cut(pair, "=")
		switch {
		case !named && len(name) > plainValueMax:
			value, pairs[i] = name, secretMark
		case named && value != "" && (secretName.MatchString(unescaped(name)) || len(value) > plainValueMax || tokenText.MatchString(value)):
			pairs[i] = name + "=" + secretMark
		default:
			continue
		}
		secrets = append(secrets, value, unescaped(value))
	}
	return "?" + strings.Join(pairs, "&"), secrets
}

// unescaped returns s decoded, or as it is when it cannot be decoded.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
