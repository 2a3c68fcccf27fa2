package stub

import (
	"strings"

	"example.com/agentworld/behavior/words"
)

// language is what the policy has to know of the language of a prompt: the headings
// of the sections it reads, the keys of lines and the words within them. The
// grammar of the lines and all names are the same in every language.
type language struct {
	headingObservation, headingGoals, headingKnown, headingHistory, headingLastOutcome, headingMemory, headingDocuments,
	headingPlaybook, headingMessages, headingQuestion string

	keyYou, keyHere, keyCan, keyPlaces, keyAgents, keyFactories, keyRecipes string
	columnCost, columnTicks, columnEmission                                 string

	// at and here tell where something is, found where something was found, to leads to
	// the choices of an action.
	at, here, found, to string
	// km follows a distance.
	km string
	// power leads to the power state, heat, radiation, price and wear to those, most to a bound.
	power, heat, radiation, price, wear, most string
	// more marks the count of what a list leaves out.
	more string
	// queued follows a number of batches, ready and next lead to a number of ticks.
	queued, ready, next string
	// states are the states of factories by their words.
	states map[string]string
	// refused follows an action that the world refused. planned leads to what is left of a plan,
	// notDone of a chain, and wrong to what was refused in a turn.
	refused, planned, notDone, wrong string
	// draws leads to what each tick takes.
	draws string
	// all stands for all agents.
	all string
	// code is that of the language.
	code string

	// keyTerms and keyOwnTerms lead to requests and offers, the others to what they say.
	// left and expires are in a part that also has a number.
	keyTerms, keyOwnTerms, from, receiver, gives, wants, answers, claim, left, expires string
}

// languages are the languages of prompts. The one whose heading of an observation a
// prompt has is the prompt's.
var languages = readLanguages()

func readLanguages() (all []language) {
	for _, code := range words.Languages() {
		all = append(all, newLanguage(words.In(code)))
	}
	return all
}

func newLanguage(w *words.Language) language {
	h, lines := &w.Headings, &w.Lines
	o, t := &w.Observation, &w.Terms
	_, columns, _, _ := cutLine(lines.Places.Text("") + o.None)
	return language{
		headingObservation: heading(h.Observation.Lead()), headingGoals: heading(h.Goals),
		headingKnown: heading(h.Known), headingHistory: heading(h.History), headingLastOutcome: heading(h.Outcome),
		headingMemory: heading(h.Memory), headingDocuments: heading(h.Documents), headingMessages: heading(h.Messages),
		headingPlaybook: heading(h.Playbook),
		headingQuestion: heading(w.Interview.Heading.Lead()),

		keyYou: key(lines.You), keyHere: key(lines.Here), keyCan: key(lines.Can), keyPlaces: key(lines.Places.Lead()),
		keyAgents: key(lines.Agents), keyFactories: key(lines.Factories), keyRecipes: key(w.Modules.Recipes),
		draws:      w.Modules.PerTick.Lead(),
		code:       w.Code,
		columnCost: columns[0], columnTicks: columns[1], columnEmission: columns[2],

		at: mark(o.At), here: o.Here, km: strings.TrimSpace(o.KM), found: mark(w.History.Place),
		to:    strings.TrimSpace(w.Options.To),
		power: mark(o.Power), heat: mark(o.Heat), radiation: mark(o.Radiation), price: mark(w.Options.Price),
		wear: mark(o.Wear),
		most: mark(w.Options.Most), more: mark(o.More), queued: mark(o.Queued), ready: mark(o.ReadyIn), next: mark(o.NextIn),
		states:  statesIn(w),
		refused: strings.Trim(w.History.Refused, " :"), all: w.Goals.AllAgents,
		planned: strings.Trim(lines.Planned.Trail(), " ,:"),
		notDone: strings.Trim(w.Observation.NotDone.Lead(), " ;:"), wrong: strings.TrimSpace(w.Asides.Fault.Lead()),

		keyTerms: key(lines.Terms), keyOwnTerms: key(lines.OwnTerms), from: mark(t.From), receiver: mark(t.Receiver),
		gives: mark(t.Gives), wants: mark(t.Wants), answers: mark(t.Answers), claim: mark(t.Claim),
		left: mark(t.Left), expires: mark(t.Expires),
	}
}

// statesIn are the states of factories by their words in a language.
func statesIn(w *words.Language) map[string]string {
	states := map[string]string{}
	for _, state := range []string{"building", "working", "idle"} {
		states[w.Word(state)] = state
	}
	states[w.Word("generating")] = "idle" // it has no work to wait for
	return states
}

// heading is a heading without the remark after its comma.
func heading(text string) string {
	if at := strings.IndexAny(text, commas); at >= 0 {
		return text[:at]
	}
	return text
}

// key is the key of a line without its columns.
func key(line string) string {
	key, _, _ := strings.Cut(line, ": ")
	key, _, _ = strings.Cut(key, " (")
	return key
}

// mark is the word by which a part of a line is recognized: the first one before its value, or the
// last one after it.
func mark(form words.Form) string {
	if before := strings.Fields(form.Lead()); len(before) > 0 {
		return before[0]
	}
	after := strings.Fields(form.Trail())
	return after[len(after)-1]
}

// languageOf is the language of the last observation among texts, and the first
// language where there is none.
func languageOf(texts []string) language {
	for i := len(texts) - 1; i >= 0; i-- {
		for _, l := range languages {
			if _, _, ok := section(texts[i], l.headingObservation); ok {
				return l
			}
		}
	}
	return languages[0]
}
