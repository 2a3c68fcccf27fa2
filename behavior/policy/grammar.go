package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// The bounds of what is read of an intent.
const (
	// IntentCharsMax bounds the text of one intent; a longer one is cut. A message in
	// full, its quotes escaped, has room.
	IntentCharsMax = 600
	// idCharsMax bounds an id; the world has none that is longer.
	idCharsMax = 64
)

// The words of the grammar.
const (
	wordUntil = "until"
	wordPrice = "price"
)

// fillers are words between the parts of an intent that say nothing about them.
var fillers = words("to at of the a an with for from most up max maximum about some my units unit g gram grams ticks tick batches batch data_per_10 " +
	"amount id what text and then in here now exactly")

// goods are words for what an action without a receiver is about anyway.
var goods = words("electricity power compound hardware")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// ParseIntent reads one entry of a plan's list of actions, such as
// "transfer_resource agent-2 electricity 10", "mine_compound 5,000 g",
// "harvest_radiation(40) until 5" or "move_agent: llm-hub". The first word is the
// name or an alias of an action; the others are told apart by what they are: a choice
// of the action, a number, otherwise an id. A second number, or one after "price" or
// "at", is the price, one after "until" the most attempts. What is not understood
// leaves its part open, which allows less and not more: what is open must be of own
// trust. It is false when no action is named.
func ParseIntent(text string) (Intent, bool) {
	tokens := tokenize(strings.TrimLeft(text, "-*•0123456789. )"))
	for len(tokens) > 0 && skipped(tokens[0].text) {
		tokens = tokens[1:]
	}
	// Two words may be one name ("build factory"), and the first of them another.
	for n := min(2, len(tokens)); n > 0; n-- {
		if e, ok := actionNamed(tokens[:n]); ok {
			r := intentReader{entry: e, intent: Intent{Action: e.spec.Name}}
			r.read(tokens[n:])
			return r.intent, true
		}
	}
	return Intent{}, false
}

// skipped reports a word that may stand before the name of an action: the order that
// is said by "until" anyway, and the field of an object.
func skipped(word string) bool {
	return word == "action" || word == standing.spec.Name || slices.Contains(standing.spec.Aliases, word)
}

// standing is the order that goes around actions and is no action of a plan itself.
var standing = registry[world.ExecuteUntil{}.ActionName()]

// token is one word, or a quoted text.
type token struct {
	text   string
	quoted bool
}

// tokenize cuts a text at white space and the signs , ; = ( ) and at a colon that is
// not inside a word, as ids may hold one. A comma between digits stays: it groups
// them. Full-width signs and digits count as their plain ones.
func tokenize(text string) []token {
	text = plaintext.Narrow(plaintext.Head(text, IntentCharsMax))
	var tokens []token
	for text = strings.TrimLeftFunc(text, isGap); text != ""; text = strings.TrimLeftFunc(text, isGap) {
		if text[0] == '"' {
			if quoted, err := strconv.QuotedPrefix(text); err == nil {
				plain, _ := strconv.Unquote(quoted)
				tokens = append(tokens, token{plain, true})
				text = text[len(quoted):]
				continue
			}
		}
		end := wordEnd(text)
		if w := strings.Trim(text[:end], ":\"'"); w != "" {
			tokens = append(tokens, token{text: w})
		}
		text = text[end:]
	}
	return tokens
}

// isGap reports a sign between words.
func isGap(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",;=()[]{}", r) || r == utf8.RuneError
}

// wordEnd is where the first word of a text ends.
func wordEnd(text string) int {
	for i, r := range text {
		switch {
		case i == 0:
		case r == ',' && digitAt(text, i-1) && digitAt(text, i+1):
		case isGap(r), r == '"':
			return i
		}
	}
	return len(text)
}

func digitAt(text string, i int) bool {
	return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9'
}

// actionNamed finds the action that words name: its name or alias, in any case, with
// hyphens or spaces for underscores.
func actionNamed(tokens []token) (*entry, bool) {
	var parts []string
	for _, t := range tokens {
		parts = append(parts, t.text)
	}
	name := strings.ReplaceAll(strings.ToLower(strings.Join(parts, "_")), "-", "_")
	for _, known := range actionNames {
		if e := registry[known]; e != standing && (known == name || slices.Contains(e.spec.Aliases, name)) {
			return e, true
		}
	}
	return nil, false
}

// actionNames are the names of the registry in its order.
var actionNames = func() []string {
	var names []string
	for _, spec := range world.Actions() {
		names = append(names, spec.Name)
	}
	return names
}()

// intentReader sorts the words of an intent into its parts.
type intentReader struct {
	entry  *entry
	intent Intent
}

// read takes the words one by one; a word of the grammar says what the number behind
// it is. Behind any other word that is not understood ("keep 50", "not 50") a number
// may mean something else than an amount and is left out.
func (r *intentReader) read(tokens []token) {
	key, lost := "", false
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		lower := strings.ToLower(t.text)
		n, isNumber := number(t.text)
		if isNumber && i+1 < len(tokens) && isKilo(tokens[i+1].text) {
			n *= 1000
			isNumber = n <= numberMax
			i++
		}
		lost = lost || isUntil(key) && !isNumber
		counts := i+1 < len(tokens) && r.isCount(tokens[i+1].text)
		switch {
		case t.quoted && r.text(t.text):
			// What is said may look like anything.
		case isKey(lower):
			key = lower
			continue
		case lower == "at":
			key = wordPrice
			continue
		case isNumber && (key != "" || !lost && !counts) && r.number(key, n), r.choice(t.text), fillers[lower], r.isParameter(lower),
			goods[lower] && r.entry.params[world.SlotTo] == nil, isNumber && counts:
		default:
			lost = !r.id(t.text) || lost
		}
		key = ""
	}
}

// isUntil reports a word before the most attempts.
func isUntil(key string) bool { return key == wordUntil || key == "max_ticks" }

// isCount reports a word that makes a number of times of the one before it, in an
// action that has another amount.
func (r *intentReader) isCount(word string) bool {
	p := r.entry.params[world.SlotAmount]
	ticks := p != nil && p.Unit == world.Ticks
	return !ticks && (strings.EqualFold(word, "tick") || strings.EqualFold(word, "ticks") || strings.EqualFold(word, "times"))
}

// isKey reports a word that says what the next number is.
func isKey(word string) bool { return isUntil(word) || word == wordPrice }

// isParameter reports the name of a parameter, written before its value.
func (r *intentReader) isParameter(word string) bool {
	return slices.ContainsFunc(r.entry.spec.Params, func(p world.Param) bool {
		return p.Name == word || slices.Contains(p.Aliases, word)
	})
}

// isKilo reports a word that makes thousands of the number before it.
func isKilo(word string) bool {
	return strings.EqualFold(word, "kg") || strings.EqualFold(word, "k") || strings.EqualFold(word, "thousand")
}

// number files a number: the most attempts, the price, or the amount. It is false
// when the action has no place for one.
func (r *intentReader) number(key string, n int64) bool {
	hasPrice := r.entry.params[world.SlotPrice] != nil
	switch {
	case isUntil(key):
		r.intent.Until = n
	case hasPrice && r.intent.Price == nil && (key == wordPrice || r.intent.Amount != nil):
		r.intent.Price = &n
	case r.entry.params[world.SlotAmount] != nil && r.intent.Amount == nil:
		r.intent.Amount = &n
	default:
		return false
	}
	return true
}

// text files quoted words as those of a message or note, cleaned as the world would
// store them. A receiver comes first, quoted or not.
func (r *intentReader) text(words string) bool {
	if r.entry.params[world.SlotText] == nil || r.entry.params[world.SlotTo] != nil && r.intent.To == "" {
		return false
	}
	if note, err := world.MakeAction(world.PostNote{}.ActionName(), world.Args{"text": {Text: words}}); err == nil {
		r.intent.Text = note.(world.PostNote).Text
	}
	return true
}

// id files an id where the action has a place for one that is still open. It is false
// when it has none.
func (r *intentReader) id(word string) bool {
	if utf8.RuneCountInString(word) > idCharsMax {
		return false
	}
	switch {
	case r.entry.params[world.SlotTo] != nil && r.intent.To == "":
		r.intent.To = word
	case r.entry.params[world.SlotID] != nil && r.intent.ID == "":
		r.intent.ID = word
	default:
		return false
	}
	return true
}

// choice files a word that names exactly one choice of the action: in full, by the
// alias of a recipe, or by one of the parts that the choice has between its points.
func (r *intentReader) choice(word string) bool {
	p := r.entry.params[world.SlotWhat]
	if p == nil || r.intent.What != "" {
		return false
	}
	what, ok := choiceNamed(p.Choices, strings.ReplaceAll(strings.ToLower(word), "-", "_"))
	r.intent.What = what
	return ok
}

// choiceNamed finds the choice that a word means.
func choiceNamed(choices []string, word string) (string, bool) {
	if slices.Contains(choices, word) {
		return word, true
	}
	var found []string
	for _, c := range choices {
		if slices.Contains(strings.Split(c, "."), strings.TrimPrefix(word, "recipe.")) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// number reads a positive number, its digits grouped or not, with or without the
// unit g or kg behind it.
func number(word string) (int64, bool) {
	word = strings.ToLower(strings.TrimPrefix(word, "<="))
	factor := int64(1)
	for _, unit := range []struct {
		name   string
		factor int64
	}{{"kg", 1000}, {"k", 1000}, {"g", 1}} {
		if digits, ok := strings.CutSuffix(word, unit.name); ok {
			word, factor = digits, unit.factor
			break
		}
	}
	word = digitGroups.Replace(word)
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 || n > numberMax/factor {
		return 0, false
	}
	return n * factor, true
}

// digitGroups takes out what stands between groups of digits.
var digitGroups = strings.NewReplacer(",", "", "_", "", "'", "")

// numberMax is the largest number that is read; no amount of a world comes near.
const numberMax = 1_000_000_000_000
