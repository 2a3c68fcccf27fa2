package behavior

import (
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/trace"
)

// The bounds of what is read from one decision: ids, and characters of its reason.
const (
	sourcesCitedMax  = 32
	reasonScannedMax = 8192
)

// inBrackets finds text in square, round or Chinese brackets. Brackets around other brackets are
// skipped.
var inBrackets = regexp.MustCompile(`[\[(（【［]([^\[\]()（）【】［］]{2,400})[\])）】］]`)

// sourceForm is the form of the ids that sources have: memories, bullets, messages, notes,
// requests and offers. Reasons hold many other words in brackets.
var sourceForm = regexp.MustCompile(`^(?:mem-[0-9]+-[0-9]+|[a-z]{2,5}-[0-9]{5,9}|(?:msg|note|req|offer)-[0-9]+-[A-Za-z0-9_.:-]+)$`)

// cited lists the sources that a decision named, by its own report and in its
// reason, in order of first mention, the report first.
func (t *Turn) cited(d terminal) []trace.Citation {
	var list []trace.Citation
	for _, entry := range d.sources {
		for _, id := range listedIDs(entry) {
			list = t.cite(list, id, trace.ChannelSelf)
		}
	}
	for _, match := range inBrackets.FindAllStringSubmatch(d.why[:min(len(d.why), reasonScannedMax)], -1) {
		for _, id := range listedIDs(match[1]) {
			if _, shown := t.inView(id); shown || sourceForm.MatchString(id) {
				list = t.cite(list, id, trace.ChannelText)
			}
		}
	}
	return list
}

// cite adds one mention to the list. An id that was not in view may still exist.
func (t *Turn) cite(list []trace.Citation, id string, channel trace.Channel) []trace.Citation {
	for i, c := range list {
		if c.ID == id {
			if c.Channel != channel {
				list[i].Channel = trace.ChannelBoth
			}
			return list
		}
	}
	if len(list) == sourcesCitedMax {
		return list
	}
	status := trace.CitedInvented
	remembered := t.mind.memory.Holds(id)
	_, learned := t.mind.playbook.Bullet(id)
	if _, shown := t.inView(id); shown {
		status = trace.CitedUsed
	} else if remembered || learned {
		status = trace.CitedUnknown
	}
	return append(list, trace.Citation{ID: id, Channel: channel, Status: status})
}

// listedIDs splits what may be one id or several. The prompt shows ids in brackets, and some
// models copy the brackets. Words next to an id are left out. Without any id, the words are taken
// as one id that nothing has.
func listedIDs(text string) (ids []string) {
	between := func(r rune) bool { return strings.ContainsRune(",;，；、|[](){}（）【】［］\"'`\n", r) }
	for _, entry := range strings.FieldsFunc(text[:min(len(text), reasonScannedMax)], between) {
		found := slices.DeleteFunc(strings.Fields(entry), func(w string) bool { return !sourceForm.MatchString(w) })
		if len(found) == 0 {
			found = []string{idText(entry)}
		}
		ids = append(ids, found...)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// inView is the source with an id among those that the turn has shown.
func (t *Turn) inView(id string) (trace.Source, bool) {
	for _, s := range t.retrieved {
		if s.ID == id {
			return s, true
		}
	}
	return trace.Source{}, false
}

type citationDetail struct {
	Used     int `json:"used"`
	Unknown  int `json:"unknown,omitempty"`
	Invented int `json:"invented"`
}
