package behavior

import (
	"regexp"
	"slices"
	"strings"
)

// citedPattern finds source ids in square or round brackets in a model's text.
var citedPattern = regexp.MustCompile(`[\[(]([A-Za-z0-9][A-Za-z0-9_.:-]{1,63})[\])]`)

// sourcesCitedMax bounds the ids that are read from one decision.
const sourcesCitedMax = 32

// cited returns the retrieved sources a decision relied on, by its own report or
// by a citation in its reason, in order of first mention. Ids that were not
// retrieved are only counted: naming a source is no proof that it exists.
func (t *Turn) cited(d terminal) (used []string, invented int) {
	named := slices.Clone(d.sources)
	for _, match := range citedPattern.FindAllStringSubmatch(d.why, sourcesCitedMax) {
		if t.isRetrieved(match[1]) {
			named = append(named, match[1])
		}
	}
	for _, id := range named[:min(len(named), sourcesCitedMax)] {
		// The prompt shows ids in brackets; some models copy those.
		id = strings.Trim(id, "[]() ")
		switch {
		case slices.Contains(used, id):
		case t.isRetrieved(id):
			used = append(used, id)
		default:
			invented++
		}
	}
	if len(used)+invented > 0 {
		t.note(Note{Kind: NoteCitation, Status: StatusOK, Detail: citationDetail{len(used), invented}})
	}
	return used, invented
}

type citationDetail struct {
	Used     int `json:"used"`
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
