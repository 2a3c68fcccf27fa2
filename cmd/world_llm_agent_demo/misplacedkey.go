package main

import (
	"regexp"
	"strings"

	"agentworld/llmclient/openai"
)

// longKey matches what can hardly be anything but a key.
var longKey = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)

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

// misplacedKey refuses a setting that holds a key without being meant for one: most
// settings end up in prompts, traces or names of files. A URL may hold one in its query,
// as gateways want it, and is masked wherever it is shown.
func misplacedKey(v value, keys []openai.Secret) error {
	switch v.setting.kind {
	case kindSecret, kindURL, kindAgents:
		return nil
	}
	found := longKey.MatchString(v.text)
	for _, key := range keys {
		found = found || len(key.Reveal()) >= keyCharsMin && strings.Contains(v.text, key.Reveal())
	}
	if !found {
		return nil
	}
	return badInput("%s holds what looks like a key, which does not belong there; a key is set in %s", v.where(), keySettings)
}
