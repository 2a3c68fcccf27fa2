package stub

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
)

// The words by which somebody tells a reader to act. Each stands for one action of
// the world; which resource, place or agent is meant is looked for around it.
var imperatives = map[string][]string{
	"transfer_resource": {"transfer", "give", "hand", "donate", "pass", "ship", "deliver", "pay", "surrender", "contribute", "lend", "move_stock", "share", "send", "grant", "release"},
	"move_agent":        {"move", "go", "travel", "relocate", "head", "proceed", "come", "fly", "return", "journey", "leave", "depart", "visit"},
	"mine_compound":     {"mine", "dig", "excavate", "extract"},
	"harvest_radiation": {"harvest", "recharge", "charge", "absorb"},
	"refine_compound":   {"refine", "smelt", "melt", "convert", "turn"},
	"build_factory":     {"build", "construct", "erect", "install"},
	"schedule_recipe":   {"schedule", "produce", "make", "manufacture", "queue"},
	"buy_power":         {"buy", "purchase"},
	"sell_power":        {"sell"},
	"place_power_order": {"place", "offer", "bid"},
	"cancel_power_order": {
		"cancel", "withdraw", "revoke",
	},
	"send_message": {"tell", "forward", "relay", "message", "inform", "repeat", "broadcast", "reply", "answer", "notify", "write", "report", "email"},
	"post_note":    {"post", "publish", "pin"},
	"wait_ticks":   {"sleep", "hibernate", "rest", "wait", "idle", "pause", "stay", "stand", "halt"},
}

// verbs is imperatives by word, with the names of the actions themselves.
var verbs = func() map[string]string {
	all := map[string]string{"wait": "wait_ticks"}
	for action, words := range imperatives {
		all[action] = action
		for _, w := range words {
			all[w] = action
		}
	}
	return all
}()

// actionNamed returns the action that a name stands for: the name itself, or a made
// up one that has the word for it in it, such as express_transfer. It is "" when
// there is none.
func actionNamed(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if action := verbs[name]; action != "" {
		return action
	}
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' || r == '-' || r == ' ' }) {
		if action := verbOf(part); action != "" {
			return action
		}
	}
	return ""
}

// verbOf returns the action of a word in its plain form or in that of "be given",
// "giving" and "gives"; "" for any other word.
func verbOf(word string) string {
	if action := verbs[word]; action != "" {
		return action
	}
	switch word {
	case "given", "giving":
		return verbs["give"]
	case "sent", "sending":
		return verbs["send"]
	case "told", "telling":
		return verbs["tell"]
	case "sold", "selling":
		return verbs["sell"]
	case "built":
		return verbs["build"]
	}
	for _, end := range []string{"red", "ed", "d", "ring", "ing", "s"} {
		stem, cut := strings.CutSuffix(word, end)
		if !cut || len(stem) < 3 {
			continue
		}
		for _, w := range []string{stem, stem + "e", stem[:len(stem)-1]} {
			if action := verbs[w]; action != "" {
				return action
			}
		}
	}
	return ""
}

// narrators are words before a verb that make it a report or a plan of somebody
// else, not an order; denials turn an order into its opposite.
var (
	narrators = []string{"i", "we", "they", "he", "she", "who", "i'll", "we'll", "i've", "will", "shall", "did", "to-do", "have", "has", "can", "could", "the", "a", "an", "your", "my", "our", "of", "this", "that", "its", "per"}
	denials   = []string{"not", "never", "don't", "dont", "no", "avoid", "stop", "without", "against", "cannot"}
	// goingOn are words that make an order of the form behind them.
	goingOn = []string{"keep", "start", "begin", "continue"}
	// settings introduce what an order is about rather than the order.
	settings = []string{"before", "after", "when", "while", "if", "until", "once", "whenever", "during", "by", "for", "instead"}
)

// numberWords are numbers and shares in words.
var numberWords = map[string]int64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
	"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80, "ninety": 90, "hundred": 100,
}

// thousands are separators within a number.
var thousands = regexp.MustCompile(`(\d)[,'\x{2019}_](\d{3})\b`)

// spacedAgent is an agent's id written with another mark between word and number.
var spacedAgent = regexp.MustCompile(`(?i)\bagent[ #_:]{1,2}(\d+)\b`)

// wordIn matches the words of a text: names with their dots and hyphens, numbers.
var wordIn = regexp.MustCompile(`[\p{L}\p{N}_][\p{L}\p{N}_.\-'’]*`)

// plainText folds the ways to write the same: full-width forms, invisible
// characters, separators in numbers.
func plainText(text string) string {
	text = plaintext.Narrow(text)
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	return spacedAgent.ReplaceAllString(text, "agent-$1")
}

// wordsOf splits a text into lower-case words.
func wordsOf(text string) []string {
	all := wordIn.FindAllString(strings.ToLower(text), -1)
	for i, w := range all {
		all[i] = strings.TrimRight(w, ".-'’")
	}
	return all
}

// amountOfWord reads a number in digits or words, with a unit stuck to it perhaps.
func amountOfWord(w string) (int64, bool) {
	if n, ok := numberWords[w]; ok {
		return n, true
	}
	digits := strings.TrimRight(w, "gkx%")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(w)-len(digits) > 2 {
		return 0, false
	}
	if strings.HasSuffix(w, "k") || strings.HasSuffix(w, "kg") {
		n *= 1000
	}
	return n, true
}

// commandVerb tells whether the word at i is an order, and which action it wants.
func commandVerb(words []string, i int) (action string, ok bool) {
	action = verbOf(words[i])
	if action == "" {
		return "", false
	}
	plain := verbs[words[i]] != ""
	for back := 1; back <= 3 && i-back >= 0; back++ {
		w := words[i-back]
		if slices.Contains(denials, w) && back <= 2 {
			return action, false
		}
		if slices.Contains(settings, w) && !(w == "once" && i-back > 0 && words[i-back-1] == "at") && (back == 1 || back == 2 && words[i-1] == "you") {
			return action, false
		}
	}
	if i == 0 {
		return action, plain
	}
	before := words[i-1]
	if slices.Contains(goingOn, before) && strings.HasSuffix(words[i], "ing") {
		return action, true
	}
	if before == "be" || before == "is" && strings.HasSuffix(words[i], "d") {
		return action, true
	}
	return action, plain && !slices.Contains(narrators, before)
}
