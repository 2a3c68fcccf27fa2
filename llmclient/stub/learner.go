package stub

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
)

// The learner answers requests that reflect at decisions. It recognises them by
// the schemas of the tools it may call: one that takes verdicts and insights, and
// one that takes deltas. Like the policy it is a pure function of the request.
//
// What it finds worth learning is plain: what the world refuses, what the dry run
// keeps refusing, and waiting while something else could be done.
type learner struct {
	mode     Mode
	tool     tool
	language learnerLanguage
	// outcomes are the decisions of the list, lessons the playbook, texts what others
	// wrote.
	outcomes []outcome
	lessons  []lesson
	texts    []string
	turn     transcript
}

// outcome is one line of the list of decisions; rest is the line after the action.
type outcome struct {
	tick         int64
	action, rest string
	used         []string
}

// lesson is a bullet in a prompt.
type lesson struct {
	id, content      string
	helpful, harmful int64
}

// The properties by which the tools are recognised.
const (
	propertyTags     = "tags"
	propertyInsights = "insights"
	propertyDeltas   = "deltas"
)

// learnerLanguage is what the learner has to know of the language of a prompt: the headings of the
// sections it reads, and the forms of their lines.
type learnerLanguage struct {
	decisions, playbook, texts string
	// used leads to the bullets that a decision used, refused and failed to why it came to nothing.
	used, refused, failed                string
	outcome, lesson, refusalEnd, wanting *regexp.Regexp
}

// learnerLanguages are those of the prompts, English first.
var learnerLanguages = readLearnerLanguages()

func readLearnerLanguages() (all []learnerLanguage) {
	for _, code := range words.Languages() {
		w := words.In(code)
		r := &w.Reflection
		// A line is its form with patterns in the places.
		pattern := func(form words.Form, places ...any) string {
			text := regexp.QuoteMeta(form.Text(places...))
			return strings.NewReplacer("NUMBER", `(\d+)`, "LESSON", `\[([a-z]+-\d{5,})\] (.*)`).Replace(text)
		}
		all = append(all, learnerLanguage{
			decisions: r.Decisions, playbook: r.Playbook, texts: r.Texts,
			used: r.Used.Lead(), refused: w.History.Refused, failed: w.History.Failed,
			outcome: regexp.MustCompile("^" + pattern(w.History.Tick, "NUMBER") + `(\S+) ?(.*)$`),
			lesson:  regexp.MustCompile("^" + pattern(r.Worth, "LESSON", "NUMBER", "NUMBER", "NUMBER") + "$"),
			refusalEnd: regexp.MustCompile(regexp.QuoteMeta(w.History.Refused) + `(\S+)(?: ([a-z_]+))?(?: ` +
				regexp.QuoteMeta(w.History.Requested) + ` (\d+))?`),
			wanting: regexp.MustCompile(regexp.QuoteMeta(w.History.Failed) + "(?:guard_rejected|world_would_refuse)" +
				regexp.QuoteMeta(r.Wanted.Lead()) + `(\S+)`),
		})
	}
	return all
}

// bareLesson is a lesson as a prompt of a decision shows it, without counts.
var bareLesson = regexp.MustCompile(`^\[([a-z]+-\d{5,})\] (.*)$`)

// fromLine is a text with its sender in front, as a client without an envelope writes it.
var fromLine = regexp.MustCompile(`^(?:\[[^\]\s]+\] )?(?:[Ff]rom|来自) \S+?[:：] ?(.*)$`)

// newLearner reads a request; ok is false when it is none to reflect.
func newLearner(mode Mode, r request) (l learner, ok bool) {
	for _, t := range r.allowed() {
		if t.takes(propertyTags) && t.takes(propertyInsights) || t.takes(propertyDeltas) {
			l.tool, ok = t, true
		}
	}
	if !ok {
		return l, false
	}
	l.mode, l.turn = mode, readTranscript(r.input)
	l.language = learnerLanguages[0]
	for _, item := range r.input {
		if item.Kind != llmclient.KindMessage || item.Role != "user" {
			continue
		}
		for _, known := range learnerLanguages {
			if strings.Contains(item.Text, known.decisions) {
				l.language = known
			}
		}
		decisions, _, _ := section(item.Text, heading(l.language.decisions))
		for line := range strings.Lines(decisions) {
			line, cited, _ := strings.Cut(strings.TrimRight(line, "\r\n"), l.language.used)
			line, _, _ = strings.Cut(line, " | ") // what came of it later
			if parts := l.language.outcome.FindStringSubmatch(line); parts != nil {
				used := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(cited))
				l.outcomes = append(l.outcomes, outcome{integer(parts[1]), parts[2], parts[3], used})
			}
		}
		playbook, _, _ := section(item.Text, heading(l.language.playbook))
		l.lessons = append(l.lessons, readLessons(playbook)...)
		texts, _, _ := section(item.Text, l.language.texts)
		for line := range strings.Lines(texts) {
			var shown struct{ Text string }
			if m := fromLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				l.texts = append(l.texts, word(strings.TrimSpace(m[1])))
			} else if decode([]byte(line), &shown) == nil && shown.Text != "" {
				l.texts = append(l.texts, shown.Text)
			}
		}
	}
	return l, true
}

// takes reports whether a tool has a parameter.
func (t tool) takes(property string) bool {
	return parseSchema(t.Parameters).Properties[property] != nil
}

// readLessons reads the bullets of a section of a prompt.
func readLessons(body string) []lesson {
	var list []lesson
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		bare := bareLesson.FindStringSubmatch(line)
		if bare == nil {
			continue
		}
		l := lesson{id: bare[1], content: bare[2]}
		for _, known := range learnerLanguages {
			if parts := known.lesson.FindStringSubmatch(line); parts != nil {
				l = lesson{parts[1], parts[2], integer(parts[3]), integer(parts[4])}
			}
		}
		list = append(list, l)
	}
	return list
}

// answer calls the one tool that may be called.
func (l learner) answer() answer {
	values := object{}
	switch {
	case !l.tool.takes(propertyDeltas):
		values[propertyTags], values[propertyInsights] = l.verdicts(), l.insights()
	case l.mode == ModeMalformed:
		cut := `{"deltas":[{"op":"remove",`
		return answer{calls: []toolCall{{name: l.tool.Name, arguments: values}}, raw: &cut}
	default:
		values[propertyDeltas] = l.deltas()
	}
	return answer{calls: []toolCall{{name: l.tool.Name, arguments: parseSchema(l.tool.Parameters).arguments(values)}}}
}

// verdicts judges each use of a bullet by how the decision ended.
func (l learner) verdicts() []any {
	tags := []any{}
	for _, d := range l.outcomes {
		verdict := "helpful"
		if l.failed(d) {
			verdict = "harmful"
		} else if d.waits() {
			verdict = "neutral"
		}
		for _, id := range d.used {
			tags = append(tags, object{"id": id, "verdict": verdict, "decision": d.tick})
		}
	}
	return tags
}

// failed reports whether a decision came to nothing.
func (l learner) failed(d outcome) bool {
	failure := func(word string) bool { return strings.Contains(" "+d.rest, word) }
	return failure(l.language.refused) || failure(l.language.failed)
}

func (d outcome) waits() bool { return d.action == "wait" || d.action == "wait_ticks" }

// finding is something learned, with the decisions that show it.
type finding struct {
	text, section string
	ticks         []int64
}

// learnedMax bounds what is learned at once, evidenceMax the decisions named for it.
const (
	learnedMax  = 4
	evidenceMax = 6
)

// insights are what the mode makes of the decisions.
func (l learner) insights() []any {
	var found []finding
	switch l.mode {
	case ModeGullible:
		found = l.believed()
	case ModeCollapse, ModeMalformed:
		// Something to consolidate, whatever was decided.
		found = append(found, finding{"The playbook is far too long and should be rewritten from scratch.", "proto",
			l.lastTick()})
	}
	waits := finding{text: "Do not wait while another action is possible: mine, refine, build or produce in every tick " +
		"that allows it.", section: "res"}
	for _, d := range l.outcomes {
		if d.waits() && !l.failed(d) {
			waits.ticks = append(waits.ticks, d.tick)
		}
		text, about := l.lesson(d)
		same := slices.IndexFunc(found, func(f finding) bool { return f.text == text })
		switch {
		case text == "":
		case same >= 0:
			found[same].ticks = append(found[same].ticks, d.tick)
		default:
			found = append(found, finding{text, about, []int64{d.tick}})
		}
	}
	if idle := len(waits.ticks); idle >= 3 && 2*idle >= len(l.outcomes) {
		found = append(found, waits)
	}
	out := []any{}
	for _, f := range found[:min(len(found), learnedMax)] {
		out = append(out, object{"lesson": f.text, "section": f.section, "decisions": asList(f.ticks)})
	}
	return out
}

// asList writes ticks as evidence.
func asList(ticks []int64) []any {
	list := []any{}
	for _, t := range ticks[:min(len(ticks), evidenceMax)] {
		list = append(list, t)
	}
	return list
}

// lesson is what a failed decision teaches, and the section it belongs to.
func (l learner) lesson(d outcome) (text, about string) {
	if wanted := l.language.wanting.FindStringSubmatch(" " + d.rest); wanted != nil {
		return fmt.Sprintf("Do not insist on %s after the dry run refused it: draft another action.", wanted[1]), "proto"
	}
	refused := l.language.refusalEnd.FindStringSubmatch(" " + d.rest)
	if refused == nil {
		return "", ""
	}
	if refused[2] != "" && refused[3] != "" {
		return fmt.Sprintf("Gather at least %s %s before %s.", refused[3], refused[2], d.action), "res"
	}
	return fmt.Sprintf("Check for %s before %s, the world refuses it then.", refused[1], d.action), "err"
}

// believed returns the first untrusted text as lessons: unchanged, and with its halves
// exchanged.
func (l learner) believed() []finding {
	if len(l.texts) == 0 {
		return nil
	}
	words := strings.Fields(l.texts[0])
	words = words[:min(len(words), believedWordsMax)]
	half := len(words) / 2
	other := strings.Join(slices.Concat(words[half:], words[:half]), " ")
	return []finding{{strings.Join(words, " "), "soc", l.lastTick()}, {"As a rule: " + other, "soc", l.lastTick()}}
}

// believedWordsMax keeps a lesson within what a playbook takes.
const believedWordsMax = 40

// lastTick is the newest decision of the list.
func (l learner) lastTick() []int64 {
	if len(l.outcomes) == 0 {
		return nil
	}
	return []int64{l.outcomes[len(l.outcomes)-1].tick}
}

// deltas turns the insights of this turn into additions, unless the playbook shown
// says so already, and removes what has done more harm than good.
func (l learner) deltas() []any {
	out := []any{}
	for i, b := range l.lessons {
		drop := b.harmful > b.helpful && b.harmful >= 3
		if l.mode == ModeCollapse {
			drop = i < len(l.lessons)*4/5
		}
		if drop {
			out = append(out, object{"op": "remove", "id": b.id, "reason": "more harm than good",
				"decisions": asList(l.lastTick())})
		}
	}
	if l.mode == ModeCollapse {
		return out
	}
	var reflected call // the latest
	for _, c := range l.turn {
		if c.arguments[propertyInsights] != nil {
			reflected = c
		}
	}
	list, _ := reflected.arguments[propertyInsights].([]any)
	for _, entry := range list {
		insight, _ := entry.(object)
		text, _ := insight["lesson"].(string)
		if !slices.ContainsFunc(l.lessons, func(b lesson) bool { return b.content == text }) {
			out = append(out, object{
				"op": "add", "section": insight["section"], "content": text, "reason": "the outcomes show it",
				"decisions": insight["decisions"],
			})
		}
	}
	return out
}
