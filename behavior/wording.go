package behavior

import (
	"strconv"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
)

// wording is everything the engine itself says to a model in one language, chosen once per
// [Runtime]. Names of actions, tools and resources, ids and codes are the same in all languages
// and in no table. The grammar of the prompt's lines (commas, semicolons, colons, bars) is the
// same too. docs/prompt.md describes each line.
//
// A form with verbs takes its values in the order of the English one. A test holds
// that no field of a table is empty.
type wording struct {
	language modules.Language

	// The instructions, in the order in which they follow each other.
	systemPrompt, headingCommon, ownFollows, headingPersona, rules string
	fullProtocol, directProtocol, leanProtocol, closing            string

	// The descriptions of the protocol's tools. What the actions are follows the one
	// that takes them, once in the list.
	planDoc, planTermsDoc, draftDoc, decisionDoc, turnDoc, actionsDoc string

	// The headings of the sections and the lines of goals.
	headingKnown                                                                string
	headingGoals, headingHistory, headingEarlier, headingMemory, headingOutcome string
	headingAdvice, headingObservation, headingMessages, headingPlaybook         string
	headingDocuments                                                            string
	lineShortTerm, lineLongTerm, lineScored, lineMet, lineTask, textAll         string
	textTaskMade, textTaskLast, textTaskUp, textTaskSum, textTaskLeast          string
	textTaskHelp, textTaskHelpAt, textTaskHelped                                string

	// The observation: the keys of its lines, then the words within them.
	lineYou, lineHere, lineWoken, lineEnded, lineTexts, lineStanding string
	// What others may ask for, by the rules of the scenario.
	lineRules, textAsked, textOnce, textOfTotal                               string
	lineAsked, textRate, textByMessage, textEach, textSpent                   string
	textPays, textCounted                                                     string
	linePlaces, linePlacesDetailed, lineAgents, lineFactories                 string
	textAged, textAt, textTravelling, textHere, textNone, textMore, textPower string
	textRadiation, textKM, textHeld, textDropped, textAttempts, textEnded     string
	textTexts, textTerms, textDocuments                                       string
	textBatches, textQueued, textReadyIn, textWear, textStored                string

	// What can and cannot be done.
	lineCan, lineCannot                   string
	textTo, textPrice, textMax, textShort string

	// Requests and offers.
	lineTerms, lineOwnTerms, textFrom, textReceiver, textGives, textWants string
	textLeft, textAnswers, textOver, textFor, textForTicks                string

	// The market.
	lineMarket, lineOrders, lineQuotes                    string
	textAsks, textBids, textLevel, textOwnStore           string
	textOrder, textFar, textClaim, textExpires, textQuote string

	// Episodes, and what is remembered of them.
	textTick, textTicks, textDone, textTotal, textStarted, textRefused, textFailed string
	// textAmount names how much of something an action was about, textPlace and
	// textFound what an agent finds at a place, by its id and its numbers, nameRadiation one of
	// those.
	textAmount, textPlace, textFound, nameRadiation string
	// textTimes says how often.
	textTimes                  string
	textWaited, textCharacters string
	// Beside an outcome: what was taken in place of a decision, what was wrong, what was changed.
	asideNext, asidePicked, asideDraft, asidePlan, asideFault, asideZero, textExpected string
	asideAmount, asideMost, asideLeast, asideMultiple, asideCut                        string
	// lineSent leads to what the agent wrote itself, a message or a note.
	lineSent, textMessage, textNote, textLater string
	// What others or time did.
	lineNews, newsGift, newsBought, newsSold, newsCollected, newsExpired string
	newsAccepted, newsDeclined, newsHeld                                 string
	newsBuilt, newsDone, newsArrived, newsShut, newsRestarted            string
	textRequested, textAvailable, textLimit, textNoReason                string
	memory                                                               memory.Words

	// The words by which lessons about a shortage are looked up, in the words that lessons use:
	// low power, heat, a place that is mined out, texts of other agents.
	lessonPower, lessonHeat, lessonDepleted, lessonTexts string

	// Advice on repetition. It holds numbers and nothing that a model wrote.
	adviceWaiting, adviceSame, adviceTwo, adviceThree string

	// The reason step.
	planAgain, reasonPrompt, reasonDone string

	// phrases are the texts of feedback by code. unusable says what was wrong with an
	// answer that [CodeUnusableAnswer] is about, policy why a rule refused an action.
	phrases  phraseTable[string]
	unusable phraseTable[answer.Problem]
	policy   phraseTable[policy.Reason]
	// What is allowed after an unusable answer.
	callAllowed, plainText string
}

// value is what a verb of a form takes: a str for %s, a num for %d and %+d.
type value interface{ isValue() }

type (
	str string
	num int64
)

func (str) isValue() {}
func (num) isValue() {}

// appendForm appends a form with the values of its verbs. Package fmt does the same, but keeps
// its values, each of which the caller would have to allocate.
func appendForm(b []byte, form string, values ...value) []byte {
	for {
		at := strings.IndexByte(form, '%')
		if at < 0 {
			return append(b, form...)
		}
		b, form = append(b, form[:at]...), form[at+1:]
		signed := strings.HasPrefix(form, "+")
		form = strings.TrimPrefix(form, "+")
		switch v := values[0].(type) {
		case str:
			b = append(b, v...)
		case num:
			if signed && v >= 0 {
				b = append(b, '+')
			}
			b = strconv.AppendInt(b, int64(v), 10)
		}
		form, values = form[1:], values[1:]
	}
}

// form is a form with the values of its verbs, see appendForm.
func form(text string, values ...value) string {
	var room [128]byte
	return string(appendForm(room[:0], text, values...))
}

// phraseTable has a text for each code of its kind.
type phraseTable[Code ~string] []struct {
	code Code
	text string
}

func (table phraseTable[Code]) of(code Code) string {
	for _, phrase := range table {
		if phrase.code == code {
			return phrase.text
		}
	}
	panic("behavior: no wording for " + string(code))
}

// wordsOf returns the table of a language, which [trace.Settings.Validate] has checked.
func wordsOf(l modules.Language) *wording {
	switch l {
	case modules.English:
		return &english
	case modules.Chinese:
		return &chinese
	}
	panic("behavior: no wording in the language " + l)
}
