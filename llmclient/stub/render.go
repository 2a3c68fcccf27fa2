package stub

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// Parts are what the placeholders of a template are replaced with: the policy's choice at
// one point of a turn.
type Parts struct {
	// Name and Arguments are the first call the policy would make now.
	Name      string
	Arguments json.RawMessage
	// Decision is what the policy would like to do, as one flat object whose
	// "decision" field is the action's name; Action is the same with the name under
	// "action". Both name parameters as the world's rules do.
	Decision, Action json.RawMessage
	// Here is the id of the agent's own place.
	Here string
	// Place and PlaceName are the id and the name of the nearest other place, empty
	// when none is in view, and the name also where the prompt shows no names.
	Place, PlaceName string
}

// Render returns the template with every placeholder filled. A placeholder is a
// name in double braces, followed by any number of styles:
//
//	{{name}}            the tool of the call the policy would make
//	{{arguments}}       its arguments, a JSON object
//	{{call}}            both: {"name":...,"arguments":{...}}
//	{{decision}}        the action it would like, as a flat decision object
//	{{action}}          the same as a flat action object
//	{{here}}            the id of the agent's own place
//	{{place}}           the id of the nearest other place
//	{{place_name}}      its name
//	{{x|quoted}}        x as the content of a JSON string, quotes included
//	{{x|upper}}         x in capitals
//	{{x|single}}        JSON with single quotes around its strings
//	{{x|bare}}          JSON with keys that stand without quotes
//	{{x|comma}}         JSON with a comma before the last bracket
//	{{x|wide}}          JSON with typographic quotes and full-width colons
//	{{x|token}}         JSON with a chat template's token in place of quotes
func (s Shape) Render(p Parts) string {
	call := llmclient.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{p.Name, p.Arguments})
	values := map[string]string{
		"name": p.Name, "arguments": string(p.Arguments), "call": string(call), "decision": string(p.Decision),
		"action": string(p.Action), "here": p.Here, "place": p.Place, "place_name": p.PlaceName,
	}
	return placeholder.ReplaceAllStringFunc(s.Template, func(found string) string {
		words := strings.Split(strings.Trim(found, "{}"), "|")
		text := values[words[0]]
		for _, style := range words[1:] {
			text = styles[style](text)
		}
		return text
	})
}

// placeholder is a name in double braces with its styles.
var placeholder = regexp.MustCompile(`\{\{[a-z_]+(?:\|[a-z_]+)*\}\}`)

// styles are the ways of writing a value down, by name.
var styles = map[string]func(string) string{
	"upper":  strings.ToUpper,
	"quoted": func(s string) string { return string(llmclient.Marshal(s)) },
	"single": func(s string) string {
		return restyle(s, func(t jsonToken) string {
			inner := strings.NewReplacer(`\"`, `"`, `'`, `\'`).Replace(t.inner())
			return "'" + inner + "'"
		})
	},
	"bare": func(s string) string {
		return restyleKeys(s, jsonToken.inner, ":")
	},
	"wide": func(s string) string {
		return restyleKeys(s, func(t jsonToken) string { return "“" + t.inner() + "”" }, "：")
	},
	"token": func(s string) string {
		return restyle(s, func(t jsonToken) string { return quoteToken + t.inner() + quoteToken })
	},
	"comma": func(s string) string { return s[:len(s)-1] + "," + s[len(s)-1:] },
}

// quoteToken is how one family of chat templates writes a quote; it leaks when a
// server does not translate it back.
const quoteToken = `<|"|>`

// jsonToken is a string of a JSON text, quotes included.
type jsonToken struct{ text string }

// inner returns the string without its quotes, escapes as they are.
func (t jsonToken) inner() string { return t.text[1 : len(t.text)-1] }

// stringToken matches one string of a JSON text and the colon that makes it a key.
var stringToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(\s*:)?`)

// restyleKeys rewrites every key of a JSON text and its colon.
func restyleKeys(s string, write func(jsonToken) string, colon string) string {
	return stringToken.ReplaceAllStringFunc(s, func(found string) string {
		end := strings.LastIndexByte(found, '"') + 1
		if end == len(found) {
			return found
		}
		return write(jsonToken{found[:end]}) + colon
	})
}

// restyle rewrites every string of a JSON text.
func restyle(s string, write func(jsonToken) string) string {
	return stringToken.ReplaceAllStringFunc(s, func(found string) string {
		end := strings.LastIndexByte(found, '"') + 1
		return write(jsonToken{found[:end]}) + found[end:]
	})
}
