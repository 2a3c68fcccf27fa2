package stub

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
)

// foreign is a request of a client that plays no world: nothing in it is an observation. It
// gets what a client's author expects while trying a client out. The tool that the
// user speaks of is called, with arguments from the user's words that fit the tool's schema;
// a result is repeated; anything else is answered with a text, or with JSON where JSON is asked for.
type foreign struct {
	request request
	// asked is the last message of a user, images and files how many it has beside its text.
	asked         string
	images, files int
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
			f.images, f.files = blocksOf(it, "input_image"), blocksOf(it, "input_file")
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

// blocksOf counts a message's blocks of a type.
func blocksOf(it llmclient.Item, kind string) (n int) {
	blocks, _ := llmclient.Elements(llmclient.MembersOf(it.Raw)["content"], len(it.Raw))
	for _, block := range blocks {
		if llmclient.TextOf(llmclient.MembersOf(block)["type"]) == kind {
			n++
		}
	}
	return n
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

// best is the allowed tool that shares most words with the user's message, the first of several;
// about is false if it shares none. It is nil if no tool may be called.
func (f foreign) best() (best *tool, about bool) {
	said := wordsOf(f.asked)
	most := -1
	for _, t := range f.request.allowed() {
		// A name says more of a tool than its description.
		shared := 3*sharedWords(said, wordsOf(t.Name)) + sharedWords(said, wordsOf(t.Description))
		for name, property := range parseSchema(t.Parameters).Properties {
			shared += sharedWords(said, wordsOf(name))
			if property != nil {
				shared += sharedWords(said, wordsOf(strings.Join(property.listed(), " ")))
			}
		}
		if shared > most {
			best, most = &t, shared
		}
	}
	return best, most > 0
}

// plainWords say nothing of what a text is about.
var plainWords = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(`a an and any are as at be by can could current do does for from function
		get give given have how i if in is it its let like list make me my name new now of on one or our please
		return returns run set show should tell that the this to tool up use used user value want was we what when
		where which who will with would you your`) {
		all[word] = true
	}
	return all
}()

// inWords parts words that are written as one: getWeather, get_weather.
var inWords = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// wordsOf are the words of a text that say what it is about, in small letters. In scripts
// without spaces each two letters in a row are one.
func wordsOf(text string) (words []string) {
	text = strings.ToLower(inWords.ReplaceAllString(text, "$1 $2"))
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(text, split) {
		runes := []rune(word)
		if !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			if len(runes) > 1 && !plainWords[word] {
				words = append(words, word)
			}
			continue
		}
		for i := range len(runes) - 1 {
			words = append(words, string(runes[i:i+2]))
		}
	}
	return words
}

// stemLength is how many letters two forms of one word have in common at least.
const stemLength = 5

// sharedWords counts the words of b that are in a, in that form or another.
func sharedWords(a, b []string) (n int) {
	for _, word := range b {
		if slices.ContainsFunc(a, func(other string) bool {
			return word == other || len(word) >= stemLength && strings.HasPrefix(other, word[:stemLength])
		}) {
			n++
		}
	}
	return n
}

var (
	quotedText   = regexp.MustCompile("[\"“”«»„`](.+?)[\"“”«»`]|'([^']{2,}?)'(?:\\W|$)|「(.+?)」")
	aNumber      = regexp.MustCompile(`-?\d+(?:\.\d+)?`)
	capitalWords = regexp.MustCompile(`\p{Lu}[\p{L}\d'’-]*(?:,? \p{Lu}[\p{L}\d'’-]*)*`)
	afterWord    = regexp.MustCompile(`(?i)\b(?:in|at|for|of|about|to|from|on)\s+(?:the\s+)?([^.?!,;:]+)`)
)

// phrases are parts of a text that a tool may be asked about, the likeliest first: what is in
// quotes, names, what follows a word such as "in", and the text.
func phrases(text string) (found []string) {
	add := func(phrase string) {
		phrase = plaintext.Clip(strings.TrimSpace(phrase), repeatedMax)
		if phrase != "" && !slices.Contains(found, phrase) {
			found = append(found, phrase)
		}
	}
	for _, m := range quotedText.FindAllStringSubmatch(text, -1) {
		add(m[1] + m[2] + m[3])
	}
	for _, at := range capitalWords.FindAllStringIndex(text, -1) {
		run := text[at[0]:at[1]]
		before := strings.TrimRight(text[:at[0]], " \n\t\"'")
		if before == "" || strings.ContainsAny(before[len(before)-1:], ".?!") {
			// A sentence begins with a capital whatever it is about.
			_, run, _ = strings.Cut(run, " ")
		}
		add(run)
	}
	for _, m := range afterWord.FindAllStringSubmatch(text, -1) {
		add(m[1])
	}
	add(text)
	return found
}

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
	var parts []string
	if f.asked != "" {
		parts = append(parts, "\""+plaintext.Clip(f.asked, repeatedMax)+"\"")
	}
	for _, seen := range []struct {
		n    int
		kind string
	}{{f.images, "image"}, {f.files, "file"}} {
		if seen.n > 0 {
			parts = append(parts, plaintext.Count(seen.n, seen.kind)+", which I cannot see")
		}
	}
	if len(parts) == 0 {
		return "I am a scripted model, and you have said nothing yet."
	}
	return "I am a scripted model and have no words of my own. You sent: " + strings.Join(parts, " and ") + "."
}
