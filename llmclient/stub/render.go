package stub

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// Placeholders are what the placeholders of a template are replaced with: the policy's choice at
// one point of a turn.
type Placeholders struct {
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

// Parts returns what the answer would fill templates with; ok is false when it makes no
// call: the body is no request, or no tool may be called.
func (r Result) Parts() (p Placeholders, ok bool) {
	x := r.exchange
	if x == nil || len(x.answer.calls) == 0 {
		return Placeholders{}, false
	}
	action := x.stage.ideas[0].action
	decision := maps.Clone(action)
	delete(decision, "action")
	decision["decision"] = name(action)
	first := x.answer.calls[0]
	p = Placeholders{
		Name: first.name, Arguments: llmclient.Marshal(first.arguments), Here: x.stage.see.Self.Place,
		Decision: llmclient.Marshal(decision), Action: llmclient.Marshal(action),
	}
	if places := x.stage.see.Places; len(places) > 0 {
		p.Place, p.PlaceName = places[0].ID, places[0].Name
	}
	return p, true
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
func (s Shape) Render(p Placeholders) string {
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
		return restyle(s, func(inner, colon string) string {
			return "'" + strings.NewReplacer(`\"`, `"`, `'`, `\'`).Replace(inner) + "'" + colon
		})
	},
	"bare": func(s string) string { return restyleKeys(s, "", "", ":") },
	"wide": func(s string) string { return restyleKeys(s, "“", "”", "：") },
	"token": func(s string) string {
		return restyle(s, func(inner, colon string) string { return quoteToken + inner + quoteToken + colon })
	},
	"comma": func(s string) string { return s[:len(s)-1] + "," + s[len(s)-1:] },
}

// quoteToken is how one family of chat templates writes a quote; it leaks when a
// server does not translate it back.
const quoteToken = `<|"|>`

// stringToken matches one string of a JSON text and the colon that makes it a key.
var stringToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(\s*:)?`)

// restyle rewrites every string of a JSON text. write gets it without its quotes, escapes
// as they are, and the colon of a key.
func restyle(s string, write func(inner, colon string) string) string {
	return stringToken.ReplaceAllStringFunc(s, func(found string) string {
		end := strings.LastIndexByte(found, '"')
		return write(found[1:end], found[end+1:])
	})
}

// restyleKeys gives every key of a JSON text other quotes and another colon.
func restyleKeys(s, open, shut, colon string) string {
	return restyle(s, func(inner, is string) string {
		if is == "" {
			return `"` + inner + `"`
		}
		return open + inner + shut + colon
	})
}
