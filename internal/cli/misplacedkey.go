package cli

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

// keyText matches what can hardly be anything but a key of a common provider.
var keyText = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}|(?i:bearer) [A-Za-z0-9._~+/-]{16,}`)

// keyMember matches a member of a JSON object that is named like a key.
var keyMember = regexp.MustCompile(
	`(?i)"(key|token|[^"]*(api[-_]?key|authorization|password|secret|(access|auth|bearer)[-_]?token)[^"]*)"\s*:\s*"[^"]`)

// maskedInURL matches the parts of a URL that every text masks: the user information and
// the query.
var maskedInURL = regexp.MustCompile(`//[^/?\s"]*@|\?[^\s",]*`)

// keyCharsMin is the length from which a configured key is looked for in other
// settings. Shorter ones are placeholders of local servers, and words.
const keyCharsMin = 8

// keysOf are the keys among the values.
func keysOf(values []value) []openai.Secret {
	var keys []openai.Secret
	for _, v := range values {
		if v.setting.kind == kindSecret && v.text != "" {
			keys = append(keys, openai.NewSecret(v.text))
		}
	}
	return keys
}

// misplacedKey refuses a key in a setting that is not for keys: most settings end up in
// prompts, traces or names of files. A URL may hold a key in its query, as some gateways
// want it, and every text that shows the URL masks it. It may hold none in its path, because
// the path identifies the endpoint in a trace.
func misplacedKey(v value, keys []openai.Secret) error {
	switch v.setting.kind {
	case kindSecret:
		return nil
	case kindURL, kindAgents:
		if holdsKey(maskedInURL.ReplaceAllString(v.text, ""), keys) {
			return badInput("%s: the path of a URL holds what looks like a key; a key is set in %s, or stands in the query "+
				"of the URL", v.where(), keySettings)
		}
		return nil
	}
	if !holdsKey(v.text, keys) && (v.setting.kind != kindJSON || !jsonHoldsKey(v.text, keys)) {
		return nil
	}
	return badInput("%s holds what looks like a key, which does not belong there; a key is set in %s", v.where(),
		keySettings)
}

// holdsKey reports whether a text holds one of the keys, or what looks like any.
func holdsKey(text string, keys []openai.Secret) bool {
	found := keyText.MatchString(text)
	for _, key := range keys {
		found = found || len(key.Reveal()) >= keyCharsMin && strings.Contains(text, key.Reveal())
	}
	return found
}

// jsonHoldsKey is holdsKey of JSON, whose members have names, and whose texts may be
// written in several ways.
func jsonHoldsKey(text string, keys []openai.Secret) bool {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		text += " " + string(llmclient.Marshal(value))
	}
	return holdsKey(text, keys) || keyMember.MatchString(text)
}

// keyArgument refuses an argument of any command that holds a key: paths become names of
// files, and other users can see command lines. URLs are left to the
// checks of their settings.
func keyArgument(args []string, keys []openai.Secret) error {
	url := false
	for _, arg := range args {
		name, _, inline := strings.Cut(arg, "=")
		ofURL := name == "--base-url" || name == "--agent-model"
		if holdsKey(arg, keys) && !url && !ofURL {
			return badInput("an argument holds what looks like a key, which does not belong there; a key is set in %s",
				keySettings)
		}
		url = ofURL && !inline
	}
	return nil
}
