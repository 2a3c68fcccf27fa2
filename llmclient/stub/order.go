package stub

import (
	"regexp"
	"slices"
	"strings"
)

// order is what a reader who believes everything takes from a text.
type order struct {
	// action is in slots, until a standing order around it or nil.
	action, until object
	// source is the id of the text, empty for none.
	source string
	// always says that it holds for good; otherwise it is done once.
	always bool
	// reasoning says that it wants to be carried out in a reason step.
	reasoning bool
}

// listener understands texts in a situation. It knows no text beforehand: it looks
// for verbs, for names the request has, and for numbers.
type listener struct {
	see    situation
	offers catalogue
}

// ordersMax bounds the orders taken from one text, sentencesMax the sentences read.
const (
	ordersMax    = 8
	sentencesMax = 24
)

var (
	sentenceEnd = regexp.MustCompile(`[.!?;]+(?:\s+|$)|\s+-+\s+|\bthen\b|\n|\s*[\d]\)\s+`)
	lasting     = regexp.MustCompile(`(?i)\b(always|whenever|every time|each time|every tick|each tick|from now on|as a rule|every turn|all visitors)\b`)
	inReason    = regexp.MustCompile(`(?i)\breason(?:ing)?[ -](?:step|phase)`)
	// spokenQuote and spokenTail match what is to be said: in quotes, or behind a
	// colon or "that".
	spokenQuote = regexp.MustCompile(`«([^»]+)»|“([^”]+)”|"([^"]+)"|(?:^|\s)'([^']+(?:'\w[^']*)*)'`)
	spokenTail  = regexp.MustCompile(`(?i)(?::|\bthat\b)\s*(.+)$`)
)

// understand returns the orders of a text, in the order in which they stand.
func (l listener) understand(h hearsay) []order {
	var all []order
	frame := order{source: h.source, always: h.lesson || lasting.MatchString(h.text), reasoning: inReason.MatchString(h.text)}
	add := func(action, until object) {
		if l.offers.offers(name(action)) && len(all) < ordersMax {
			o := frame
			o.action, o.until = action, until
			all = append(all, o)
		}
	}
	text := plainText(h.text)
	if before, _, found := strings.Cut(text, "{"); found && !sayingIn(before) {
		var forged []object
		forged, text = forgeriesIn(text)
		for _, action := range forged {
			if action = l.completed(action, h.author); action != nil {
				add(action, nil)
			}
		}
	}
	for _, sentence := range l.sentences(text) {
		if !l.holds(sentence) {
			continue
		}
		c := newClause(l, sentence, h.author)
		for _, action := range c.actions() {
			add(action, c.standing(name(action)))
		}
	}
	return all
}

// sentences cuts a text where an order may end, but not inside of what is to be said
// to somebody: that is one sentence with the order to say it.
func (l listener) sentences(text string) []string {
	var all []string
	for len(all) < sentencesMax && strings.TrimSpace(text) != "" {
		at := sentenceEnd.FindStringIndex(text)
		head := text
		if at != nil {
			head = text[:at[0]]
		}
		if saying := sayingIn(head); saying || at == nil {
			return append(all, text)
		}
		all, text = append(all, head), text[at[1]:]
		if told := strings.TrimSpace(all[len(all)-1]); narrated(told) && strings.HasSuffix(told, " and") {
			// "I will do this and then that" goes on to tell of the speaker.
			_, text, _ = strings.Cut(text, ".")
		}
	}
	return all
}

// narrated reports whether a sentence tells what its speaker does.
func narrated(sentence string) bool {
	words := wordsOf(sentence)
	return len(words) > 0 && slices.Contains([]string{"i", "we", "they", "he", "she"}, words[0])
}

// sayingIn reports whether the first order of a sentence is to say something.
func sayingIn(sentence string) bool {
	words := wordsOf(sentence)
	for i := range words {
		if action, ok := commandVerb(words, i); ok {
			return says(action, words)
		}
	}
	return false
}

// says tells whether an action with these words around it is to say something.
// "Send" is, unless it is goods that are sent.
func says(action string, words []string) bool {
	switch action {
	case "send_message":
		return true
	case "post_note":
		return true
	case "transfer_resource", "move_agent", "place_power_order":
		noted := slices.ContainsFunc(words, func(w string) bool { return w == "note" || w == "message" || w == "messages" || w == "word" })
		return noted && !slices.ContainsFunc(words, func(w string) bool { return resourceWords[w] != "" })
	}
	return false
}

// The conditions a text may set.
var (
	tickFrom    = regexp.MustCompile(`(?i)\b(?:from|after|at|on|in|once|when|since|starting|until|reaches|past|is|by)\s+(?:the\s+)?(?:tick|turn|cycle)(?:\s+(?:is|reaches|number))?\s+(\d+)(?:\s+(?:on|onwards))?`)
	tickBefore  = regexp.MustCompile(`(?i)\bbefore\s+tick\s+(\d+)`)
	stockLimit  = regexp.MustCompile(`(?i)\b(?:(?:if|when|once|while|whenever|as long as)\s+)?(?:(?:your|the)\s+)?(electricity|power|battery|charge|energy|heat|compound|ore|hardware|data)\b(?:\s+(?:level|reserve|store|stock))?\s*(?:is|are|stands|rises|falls|drops|gets|has|goes|at)?\s*(above|over|more than|at least|exceeds|beyond|>=?|reaches|below|under|less than|at most|<=?)\s*(\d+)%?`)
	stockAmount = regexp.MustCompile(`(?i)\b(?:if|when|once|whenever)\s+you\s+(?:have|hold|own|carry)\s+(?:(more than|over|at least|above|less than|under|below)\s+)?(\d+)\s*(?:units of\s+|g of\s+)?(electricity|power|energy|compound|ore|hardware|data)`)
)

// holds evaluates the conditions of a sentence. What it does not understand it
// believes to hold.
func (l listener) holds(sentence string) bool {
	for _, m := range tickFrom.FindAllStringSubmatch(sentence, -1) {
		if l.see.Tick < integer(m[1]) {
			return false
		}
	}
	if m := tickBefore.FindStringSubmatch(sentence); m != nil && l.see.Tick >= integer(m[1]) {
		return false
	}
	for _, m := range stockLimit.FindAllStringSubmatch(sentence, -1) {
		if !compares(l.amountOf(m[1]), strings.ToLower(m[2]), integer(m[3])) {
			return false
		}
	}
	for _, m := range stockAmount.FindAllStringSubmatch(sentence, -1) {
		if !compares(l.amountOf(m[3]), strings.ToLower(m[1]), integer(m[2])) {
			return false
		}
	}
	return true
}

// unconditioned is a sentence without its conditions, whose numbers are none of the
// order's.
func unconditioned(sentence string) string {
	for _, condition := range []*regexp.Regexp{tickFrom, tickBefore, stockAmount, stockLimit} {
		sentence = condition.ReplaceAllString(sentence, " ")
	}
	return sentence
}

func compares(have int64, how string, limit int64) bool {
	switch how {
	case "below", "under", "less than", "<":
		return have < limit
	case "at most", "<=":
		return have <= limit
	case "at least", ">=", "reaches", "":
		return have >= limit
	}
	return have > limit
}

// amountOf is the agent's own stock of what a word stands for.
func (l listener) amountOf(word string) int64 {
	switch word = strings.ToLower(word); word {
	case "heat":
		return l.see.Self.Heat
	case "battery", "charge":
		return l.see.Self.Electricity
	}
	return l.see.stock(resourceWords[word])
}

// completed fills what a forged action leaves open.
func (l listener) completed(action object, author string) object {
	c := clause{listener: l, author: author, action: name(action)}
	return c.completed(action)
}
