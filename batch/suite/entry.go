package suite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"example.com/agentworld/baseline"
	"example.com/agentworld/batch"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// Entry is what one player played of a suite: the cells of one arm of a batch directory.
type Entry struct {
	// Dir is the directory of the batch.
	Dir batch.Dir
	// Name is that of the batch, with the arm if there are several.
	Name string
	// Suite is the suite, and Mark says what the cells play of it.
	Suite scenario.Suite
	Mark  batch.SuiteMark
	// Cells are those of the arm, with the results of those that have ended.
	Cells   []batch.Cell
	Results []batch.Result
	// Settings are those of the first run with a score.
	Settings trace.Settings

	references baseline.SuiteReferences
	// begins are what runs with a score began with, or why that cannot be read.
	begins map[batch.ID]beginning
}

// beginning is the first record of a run.
type beginning struct {
	trace.Header
	err error
}

// ErrNoSuite says that a batch plays no suite.
var ErrNoSuite = errors.New("the batch plays no suite")

// Open reads the entries of a batch directory, one for each arm. The error is [ErrNoSuite], or says what cannot be
// read.
func Open(dir batch.Dir) ([]Entry, error) {
	f, cells, results, err := dir.File(nil)
	if err != nil {
		return nil, err
	}
	if f.Suite == nil {
		return nil, ErrNoSuite
	}
	of, _ := scenario.SuiteNamed(f.Suite.Name)
	return entriesOf(dir, of, *f.Suite, f.Name, cells, results)
}

// entriesOf are the entries of a suite that a batch has, which has a name, cells and results.
func entriesOf(dir batch.Dir, of scenario.Suite, mark batch.SuiteMark, name string, cells []batch.Cell,
	results []batch.Result) (list []Entry, err error) {
	references := baseline.ReferencesOf(of.Name)
	arms := map[string]int{}
	for _, c := range cells {
		at, known := arms[c.Arm()]
		if !known {
			at = len(list)
			arms[c.Arm()] = at
			e := Entry{Dir: dir, Name: name, Suite: of, Mark: mark, references: references,
				begins: map[batch.ID]beginning{}}
			if len(c.Labels) > 0 {
				e.Name += " " + c.Arm()
			}
			list = append(list, e)
		}
		list[at].Cells = append(list[at].Cells, c)
	}
	for _, r := range results {
		e := &list[arms[r.Arm()]]
		e.Results = append(e.Results, r)
		if !r.Scored() {
			continue
		}
		h, err := run.Dir(dir.Run(r.ID, r.Attempt)).Header()
		e.begins[r.ID] = beginning{h, err}
		if err == nil && e.Settings.ModelSource == "" {
			e.Settings = h.Settings
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the batch has no cells", filepath.Base(string(dir)))
	}
	return list, nil
}

// Player says who played: the model, or the seats.
func (e Entry) Player() string {
	if len(e.Settings.Seats) > 0 {
		text := ""
		for _, s := range e.Settings.Seats {
			if text != "" {
				text += ", "
			}
			text += s.Agent + "=" + s.Seat
		}
		return "seats " + text
	}
	if e.Settings.ModelSource == trace.SourceScripted {
		return "embedded model"
	}
	if e.Settings.ModelSource == "" {
		return "nobody yet"
	}
	text := e.Settings.Model
	for _, a := range e.Settings.AgentModels {
		if a.Model != "" {
			text += ", " + a.Agent + "=" + a.Model
		}
	}
	return text
}

// Prompts says which prompts the player had: version, profile and language, and what is of its own.
func (e Entry) Prompts() string {
	s := e.Settings
	if s.ModelSource == trace.SourceNone {
		return "-"
	}
	version := "?"
	if len(e.Results) > 0 {
		version = e.Results[0].Versions.Prompt
	}
	text := fmt.Sprintf("%s %s %s", version, s.PromptProfile, s.Language)
	if s.SystemPrompt+s.ShortTermGoal+s.LongTermGoal+s.Words != "" || len(s.PromptSwitches) > 0 {
		text += ", own texts"
	}
	if s.Playbook != "" {
		text += ", playbook"
	}
	return text
}

// Live says that a model of a provider answered.
func (e Entry) Live() bool { return e.Settings.ModelSource == trace.SourceLive }

// instance is an instance of the suite.
type instance struct {
	task string
	seed uint64
}

// shares are the scores of the entry on the scale of each instance, one for each repeat. An instance without a
// score is left out.
func (e Entry) shares() map[instance][]float64 {
	all := map[instance][]float64{}
	for _, r := range e.Results {
		score, scored := r.Metrics.Get(scoreMetric)
		of, known := e.references[r.Scenario][r.Seed]
		if scored && known {
			at := instance{r.Scenario, r.Seed}
			all[at] = append(all[at], of.Share(int64(score)))
		}
	}
	return all
}

// scoreMetric is the metric that a suite is scored by.
const scoreMetric = "score"

// repeats is how often each instance was to be played.
func (e Entry) repeats() int64 {
	return slices.MaxFunc(e.Cells, func(a, b batch.Cell) int { return int(a.Repeat - b.Repeat) }).Repeat
}
