package reflect

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
)

// The wire names of the tools, which are also the names of the stages.
const (
	toolReflect     = "reflect"
	toolConsolidate = "consolidate"
)

// ticks are decisions named by their ticks. The schema asks for whole numbers; a
// model that writes "tick 12" or "12" in their place is understood.
type ticks []int64

func (ts *ticks) UnmarshalJSON(raw []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	*ts = ticks{}
	for _, entry := range list {
		text := string(entry)
		var quoted string
		if json.Unmarshal(entry, &quoted) == nil {
			text = tickText.FindString(quoted)
		}
		// What names no tick is no evidence, and the playbook says so.
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			*ts = append(*ts, n)
		}
	}
	return nil
}

var tickText = regexp.MustCompile(`\d+`)

// tag is a verdict on one use of a bullet.
type tag struct {
	ID       string `json:"id"`
	Verdict  string `json:"verdict"`
	Decision ticks  `json:"decision"`
}

// insight is what outcomes teach.
type insight struct {
	Lesson    string `json:"lesson"`
	Section   string `json:"section"`
	Decisions ticks  `json:"decisions"`
}

// delta is one proposed change.
type delta struct {
	Op        string `json:"op"`
	ID        string `json:"id"`
	Section   string `json:"section"`
	Content   string `json:"content"`
	Reason    string `json:"reason"`
	Decisions ticks  `json:"decisions"`
}

// reflection and consolidation are the arguments of the tools, whose schemas are made from
// them.
type reflection struct {
	Tags     []tag     `json:"tags"`
	Insights []insight `json:"insights"`
}

type consolidation struct {
	Deltas []delta `json:"deltas"`
}

// tools is the constant tool list. Sections of the playbook's own are explained by their titles.
func tools(w *words.Reflection, own []playbook.OwnSection) []llmclient.Tool {
	var sections, titles []string
	for _, s := range playbook.Sections() {
		sections = append(sections, string(s))
	}
	for _, s := range own {
		sections, titles = append(sections, string(s.Name)), append(titles, string(s.Name)+" "+s.Title)
	}
	about := ""
	if len(own) > 0 {
		about = w.OwnSections.Text(strings.Join(titles, "; "))
	}
	enums := map[string][]string{
		"verdict": {string(playbook.Helpful), string(playbook.Harmful), string(playbook.Neutral)},
		"section": sections,
		"op":      {string(playbook.OpAdd), string(playbook.OpUpdate), string(playbook.OpRemove)},
	}
	return []llmclient.Tool{
		behavior.StrictTool[reflection](toolReflect, w.Reflect+about, enums),
		behavior.StrictTool[consolidation](toolConsolidate, w.Consolidate+about, enums),
	}
}
