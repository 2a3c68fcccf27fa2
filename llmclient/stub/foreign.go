package stub

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
)

// foreign is a request of a client that plays no world: nothing in it is an observation. It
// gets what a client's author expects while trying a client out. The tool that the
// user speaks of is called, with arguments from the user's words that fit the tool's schema;
// a result is repeated; anything else is answered with a text, or with JSON where JSON is asked for.
type foreign struct {
	request request
	// asked is the last message of a user.
	asked string
	// results are the outputs of calls since then.
	results []string
}

// Bounds of what an answer repeats, in characters.
const (
	repeatedMax = 200
	resultMax   = 400
)

// newForeign reads a request; ok is false for a prompt of a world.
func newForeign(r request) (f foreign, ok bool) {
	f.request = r
	for _, it := range r.input {
		switch {
		case it.Kind == llmclient.KindMessage && it.Role == "user":
			f.asked, f.results = it.Text, nil
		case it.Kind == llmclient.KindFunctionOutput:
			f.results = append(f.results, it.Text)
		}
		if it.Kind != llmclient.KindMessage || it.Role == "assistant" {
			continue
		}
		for _, l := range languages {
			if _, _, found := section(it.Text, l.headingObservation); found {
				return f, false
			}
		}
	}
	return f, true
}

// answer calls a tool if the request demands one, or if the user's words are about one and no
// result is there yet.
func (f foreign) answer() answer {
	a := answer{text: f.text()}
	if best, about := f.best(); best != nil {
		if f.request.choice.Mode == llmclient.ChoiceRequired || about && len(f.results) == 0 {
			arguments := parseSchema(best.Parameters).arguments(f.values(parseSchema(best.Parameters)))
			a.calls = []toolCall{{name: best.Name, arguments: arguments}}
		}
	}
	if f.request.wantsSummary() {
		a.reasoningTokens = int64(len(f.asked)%32 + 16)
	}
	return a
}

// best is the allowed tool whose name or description has the longest piece in common with the user's message,
// the first of several; about says that the piece is long enough to be a word of some meaning. It is nil if no
// tool may be called.
func (f foreign) best() (best *tool, about bool) {
	most := -1
	for _, t := range f.request.allowed() {
		about := strings.ReplaceAll(t.Name, "_", " ") + "\n" + plaintext.Clip(t.Description, resultMax)
		long := common(strings.ToLower(plaintext.Clip(f.asked, resultMax)), strings.ToLower(about))
		if long > most {
			best, most = &t, long
		}
	}
	return best, most >= wordLeast
}

// wordLeast is how many bytes two texts have in common that are about one thing: five letters, or two
// characters of a script without spaces.
const wordLeast = 5

// common is the length of the longest piece that two texts have in common, spaces around it apart, in bytes.
func common(a, b string) (longest int) {
	for from := range a {
		for to := from + longest + 1; to <= len(a); to++ {
			if !strings.Contains(b, a[from:to]) {
				break
			}
			longest = max(longest, len(strings.TrimSpace(a[from:to])))
		}
	}
	return longest
}

// likely are the parts of a text that a tool may be asked about, the likeliest first: what is in quotes, names
// within a sentence, and what follows a word such as "in".
var likely = []*regexp.Regexp{
	regexp.MustCompile("[\"“”«»„`'](.{2,}?)[\"“”«»`'](?:\\W|$)"),
	regexp.MustCompile(`[^.?!\s]\s+(\p{Lu}[\p{L}\d'’-]*(?:,? \p{Lu}[\p{L}\d'’-]*)*)`),
	regexp.MustCompile(`(?i)\b(?:in|at|for|of|about|to|from|on)\s+(?:the\s+)?([^.?!,;:]+)`),
}

// phrases are the likely parts of a text, and all of it.
func phrases(text string) (found []string) {
	for _, part := range likely {
		for _, m := range part.FindAllStringSubmatch(text, -1) {
			found = append(found, plaintext.Clip(strings.TrimSpace(m[1]), repeatedMax))
		}
	}
	return append(found, plaintext.Clip(text, repeatedMax))
}

var aNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// values are values for the properties of a tool's arguments, from the user's words as far as
// these have some.
func (f foreign) values(s *schema) object {
	names, numbers := phrases(f.asked), aNumber.FindAllString(f.asked, -1)
	return guess(s, f.asked, &names, &numbers)
}

// guess takes values for an object from phrases and numbers, each of which serves once, but
// for the last phrase.
func guess(s *schema, asked string, phrases, numbers *[]string) object {
	values := object{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property, nullable := s.Properties[name].choose(nil)
		required := slices.Contains(s.Required, name) && !nullable
		switch property.kind() {
		case "object":
			values[name] = guess(property, asked, phrases, numbers)
		case "string":
			if chosen := mentioned(property.listed(), asked); chosen != "" {
				values[name] = chosen
			} else if required && property.Enum == nil && len(*phrases) > 0 {
				values[name] = (*phrases)[0]
				*phrases = (*phrases)[min(1, len(*phrases)-1):]
			}
		case "integer", "number":
			if i := slices.IndexFunc(*numbers, property.holds); i >= 0 {
				values[name] = json.Number((*numbers)[i])
				*numbers = slices.Delete(slices.Clone(*numbers), i, i+1)
			}
		}
		if values[name] == nil && !required {
			delete(values, name)
		}
	}
	return values
}

// mentioned is the first of some words that a text has.
func mentioned(words []string, text string) string {
	text = strings.ToLower(text)
	for _, word := range words {
		if word != "" && strings.Contains(text, strings.ToLower(word)) {
			return word
		}
	}
	return ""
}

// text is the answer without calls.
func (f foreign) text() string {
	format := llmclient.MembersOf(llmclient.MembersOf(f.request.sent["text"])["format"])
	switch llmclient.TextOf(format["type"]) {
	case "json_schema":
		s := parseSchema(format["schema"])
		return string(llmclient.Marshal(s.arguments(f.values(s))))
	case "json_object":
		return string(llmclient.Marshal(object{"answer": f.said()}))
	}
	return f.said()
}

// said is the answer in words.
func (f foreign) said() string {
	if len(f.results) > 0 {
		return "The result is: " + plaintext.Clip(strings.Join(f.results, "; "), resultMax)
	}
	if f.asked == "" {
		return "I am a scripted model, and you have said nothing yet."
	}
	return "I am a scripted model and have no words of my own. You sent: \"" + plaintext.Clip(f.asked, repeatedMax) + "\"."
}
