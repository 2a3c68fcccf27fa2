package settings

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

// KeyText matches what can hardly be anything but a key of a common provider.
var KeyText = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}|(?i:bearer) [A-Za-z0-9._~+/-]{16,}`)

// keyMember matches a member of a JSON object that is named like a key.
var keyMember = regexp.MustCompile(
	`(?i)"(key|token|[^"]*(api[-_]?key|authorization|password|secret|(access|auth|bearer)[-_]?token)[^"]*)"\s*:\s*"[^"]`)

// maskedInURL matches the parts of a URL that every text masks: the user information and
// the query.
var maskedInURL = regexp.MustCompile(`//[^/?\s"]*@|\?[^\s",]*`)

// keyCharsMin is the length from which a configured key is looked for in other
// settings. Shorter ones are placeholders of local servers, and words.
const keyCharsMin = 8

// Keys are the keys among the values.
func (values Values) Keys() []openai.Secret {
	var keys []openai.Secret
	for _, v := range values {
		if v.Setting.Kind == KindSecret && v.Text != "" {
			keys = append(keys, openai.NewSecret(v.Text))
		}
	}
	return keys
}

// MisplacedKey refuses a key in a setting that is not for keys: most settings end up in
// prompts, traces or names of files. A URL may hold a key in its query, as some gateways
// want it, and every text that shows the URL masks it. It may hold none in its path, because
// the path identifies the endpoint in a trace.
func MisplacedKey(v Value, keys []openai.Secret) error {
	switch v.Setting.Kind {
	case KindSecret:
		return nil
	case KindURL, KindAgents:
		if HoldsKey(maskedInURL.ReplaceAllString(v.Text, ""), keys) {
			return fmt.Errorf("%s: the path of a URL holds what looks like a key; a key is set in %s, or stands in the query "+
				"of the URL", v.Where(), KeyPlaces)
		}
		return nil
	}
	if !HoldsKey(v.Text, keys) && (v.Setting.Kind != KindJSON || !JSONHoldsKey(v.Text, keys)) {
		return nil
	}
	return fmt.Errorf("%s holds what looks like a key, which does not belong there; a key is set in %s", v.Where(),
		KeyPlaces)
}

// HoldsKey reports whether a text holds one of the keys, or what looks like any.
func HoldsKey(text string, keys []openai.Secret) bool {
	found := KeyText.MatchString(text)
	for _, key := range keys {
		found = found || len(key.Reveal()) >= keyCharsMin && strings.Contains(text, key.Reveal())
	}
	return found
}

// JSONHoldsKey is [HoldsKey] of JSON, whose members have names, and whose texts may be
// written in several ways.
func JSONHoldsKey(text string, keys []openai.Secret) bool {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		text += " " + string(llmclient.Marshal(value))
	}
	return HoldsKey(text, keys) || keyMember.MatchString(text)
}

// ConfigName is the configuration file looked for in the working directory.
const ConfigName = "config.toml"

// KeyPlaces names the places that can hold a key.
const KeyPlaces = EnvPrefix + "API_KEY, OPENAI_API_KEY, or api_key under [llm] in " + ConfigName
