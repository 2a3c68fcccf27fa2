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

// inBrackets finds what stands in brackets, be they square, round or those of
// Chinese text. What encloses other brackets is not looked at.
var inBrackets = regexp.MustCompile(`[\[(（【［]([^\[\]()（）【】［］]{2,400})[\])）】］]`)

// sourceForm is the form of the ids that sources have: memories, bullets, messages
// and notes. Reasons hold many other words in brackets.
var sourceForm = regexp.MustCompile(`^(?:mem-[0-9]+-[0-9]+|[a-z]{2,5}-[0-9]{5,9}|(?:msg|note)-[0-9]+-[A-Za-z0-9_.:-]+)$`)

// cited lists the sources that a decision named, by its own report and in its
// reason, in order of first mention, the report first.
func (t *Turn) cited(d terminal) []trace.Citation {
	var list []trace.Citation
	for _, entry := range d.sources {
		for _, id := range listedIDs(entry) {
			list = t.cite(list, id, trace.ChannelSelf)
		}
	}
	for _, id := range textIDs(d.why) {
		if sourceForm.MatchString(id) || t.isRetrieved(id) {
			list = t.cite(list, id, trace.ChannelText)
		}
	}
	return list
}

// cite adds one mention to the list.
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
	return append(list, trace.Citation{ID: id, Channel: channel, Status: t.standing(id)})
}

// declared are the sources in view that a decision named.
func (t *Turn) declared(cited []trace.Citation) (list []trace.Source) {
	for _, c := range cited {
		if i := slices.IndexFunc(t.retrieved, func(s trace.Source) bool { return s.ID == c.ID }); i >= 0 {
			list = append(list, t.retrieved[i])
		}
	}
	return list
}

// standing tells whether an id was in view, and if not, whether it exists.
func (t *Turn) standing(id string) trace.CitationStatus {
	if t.isRetrieved(id) {
		return trace.CitedUsed
	}
	_, remembered := t.mind.memory.Lookup(id)
	_, learned := t.mind.playbook.Bullet(id)
	if remembered || learned {
		return trace.CitedUnknown
	}
	return trace.CitedInvented
}

// textIDs are the ids in the brackets of a reason.
func textIDs(why string) (ids []string) {
	why = why[:min(len(why), reasonScannedMax)]
	for _, match := range inBrackets.FindAllStringSubmatch(why, -1) {
		ids = append(ids, listedIDs(match[1])...)
	}
	return ids
}

// listedIDs splits what may be one id or several. The prompt shows ids in
// brackets, and some models copy those. Words beside an id are left out; without
// any id they are taken as one, which nothing has.
func listedIDs(text string) (ids []string) {
	for _, entry := range strings.FieldsFunc(text[:min(len(text), reasonScannedMax)], partsIDs) {
		words := strings.Fields(entry)
		found := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !sourceForm.MatchString(w) })
		if len(found) == 0 {
			found = []string{idText(entry)}
		}
		ids = append(ids, found...)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// partsIDs reports whether r stands between two ids: a bracket, a quote, or a mark
// that lists have between their entries.
func partsIDs(r rune) bool {
	return strings.ContainsRune(",;，；、|[](){}（）【】［］\"'`\n", r)
}

// tally is what citations come to: the ids that count as used, and how many named
// ids do not.
func tally(list []trace.Citation) (used []string, unknown, invented int) {
	for _, c := range list {
		switch c.Status {
		case trace.CitedUsed:
			used = append(used, c.ID)
		case trace.CitedUnknown:
			unknown++
		case trace.CitedInvented:
			invented++
		}
	}
	return used, unknown, invented
}

type citationDetail struct {
	Used     int `json:"used"`
	Unknown  int `json:"unknown,omitempty"`
	Invented int `json:"invented"`
}

func (t *Turn) isRetrieved(id string) bool {
	for _, s := range t.retrieved {
		if s.ID == id {
			return true
		}
	}
	return false
}
