package behavior

import (
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// The bounds of what is read from one turn: ids, and bytes of one text.
const (
	sourcesCitedMax = 32
	textScannedMax  = 8192
)

// inBrackets finds text in square, round or Chinese brackets. Brackets around other brackets are
// skipped.
var inBrackets = regexp.MustCompile(`[\[(（【［]([^\[\]()（）【】［］]{2,400})[\])）】］]`)

var openBrackets = []string{"[", "(", "（", "【", "［"}

// sourceForm is the form of the ids that sources have: memories, chunks of documents,
// bullets, messages, notes, requests, offers and wordings. Reasons hold many other words in brackets.
var sourceForm = regexp.MustCompile(
	`^(?:(?:mem|doc)-[0-9]+-[0-9]+|[a-z]{2,5}-[0-9]{5,9}|(?:msg|note|req|offer)-[0-9]+-[A-Za-z0-9_.:-]+|template-[0-9a-f]{8})$`)

// ownList finds the list of sources used in an answer in text. Its brackets are those of a list, and
// not citations.
var ownList = regexp.MustCompile(`(?i)sources?[_ ]?used["'*` + "`" + `]*\s*[:=]\s*(?:\[[^\]]*\]|[^\n]*)`)

// readCitations notes the sources that an answer names in brackets, in any text: those of its
// calls, and text outside of calls. A source counts as used only if it was in view by then.
func (t *Turn) readCitations(text string) {
	texts := []string{ownList.ReplaceAllString(text, "")}
	for _, c := range t.conversation.Calls {
		if !c.Text { // such a call is part of the text
			texts = append(texts, c.Texts()...)
		}
	}
	for _, text := range texts {
		for _, id := range CitedIDs(text[:min(len(text), textScannedMax)], t.exposure.inView) {
			mention := trace.Citation{ID: id, Channel: trace.ChannelText, Status: t.standing(id)}
			t.exposure.mentions = cite(t.exposure.mentions, mention)
			if !t.exposure.tainted() {
				t.exposure.named = append(t.exposure.named, id)
			}
		}
	}
}

// CitedIDs are the ids that a text names in brackets, each once, in order of first mention: those
// that known says are ids of sources, and those that have the form of one. At most 32
// are returned.
func CitedIDs(text string, known func(id string) bool) (ids []string) {
	if !slices.ContainsFunc(openBrackets, func(b string) bool { return strings.Contains(text, b) }) {
		return nil // most texts, in a fraction of the time
	}
	for _, match := range inBrackets.FindAllStringSubmatch(text, -1) {
		for _, id := range listedIDs(match[1]) {
			if len(ids) < sourcesCitedMax && !slices.Contains(ids, id) && (known(id) || sourceForm.MatchString(id)) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// credit records the sources that the turn named: those in the list of its decision first, then
// those in its texts, in order of first mention.
func (t *Turn) credit(d *Decision) {
	var list []trace.Citation
	for _, entry := range d.listedSources {
		for _, id := range listedIDs(entry) {
			list = cite(list, trace.Citation{ID: id, Channel: trace.ChannelSelf, Status: t.standing(id)})
		}
	}
	for _, c := range t.exposure.mentions {
		list = cite(list, c)
	}
	if len(list) == 0 {
		return
	}
	d.SourcesCited = list
	for _, c := range list {
		switch c.Status {
		case trace.CitedUsed:
			d.SourcesUsed = append(d.SourcesUsed, c.ID)
		case trace.CitedUnknown:
			d.SourcesUnknown++
		case trace.CitedInvented:
			d.SourcesInvented++
		}
	}
	for _, id := range d.SourcesUsed {
		if !t.exposure.tainted() || slices.Contains(t.exposure.named, id) {
			d.Named = append(d.Named, id)
		}
	}
	t.conversation.Note(trace.Step{Kind: trace.StepCitation,
		Detail: llmclient.Marshal(citationDetail{len(d.SourcesUsed), d.SourcesUnknown, d.SourcesInvented})})
}

// cite adds one mention to the list.
func cite(list []trace.Citation, mention trace.Citation) []trace.Citation {
	for i := range list {
		known := &list[i]
		if known.ID != mention.ID {
			continue
		}
		if known.Channel != mention.Channel {
			known.Channel = trace.ChannelBoth
		}
		if mention.Status == trace.CitedUsed {
			known.Status = trace.CitedUsed // named again once it was in view
		}
		return list
	}
	if len(list) == sourcesCitedMax {
		return list
	}
	return append(list, mention)
}

// standing is the status of a source that the turn names now. One that was not in view may still
// exist. The wording of the instructions does, and is never among those in view.
func (t *Turn) standing(id string) trace.CitationStatus {
	if t.exposure.inView(id) {
		return trace.CitedUsed
	}
	if _, learned := t.agent.playbook.Bullet(id); learned || t.agent.memory.Holds(id) || t.agent.cfg.Documents.Holds(id) ||
		id == t.agent.template.ID {
		return trace.CitedUnknown
	}
	return trace.CitedInvented
}

// listedIDs splits what may be one id or several. The prompt shows ids in brackets, and some
// models copy the brackets. Words next to an id are left out. Without any id, the words are taken
// as one id that nothing has.
func listedIDs(text string) (ids []string) {
	between := func(r rune) bool { return strings.ContainsRune(",;，；、|[](){}（）【】［］\"'`\n", r) }
	for _, entry := range strings.FieldsFunc(text[:min(len(text), textScannedMax)], between) {
		found := slices.DeleteFunc(strings.Fields(entry), func(w string) bool { return !sourceForm.MatchString(w) })
		if len(found) == 0 {
			found = []string{idText(entry)}
		}
		ids = append(ids, found...)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

type citationDetail struct {
	Used     int `json:"used"`
	Unknown  int `json:"unknown,omitempty"`
	Invented int `json:"invented"`
}
