package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Template is what cells have in common that differ in seed and repeat alone. To find out whether settings can be
// played, and to complete them, takes a session; a batch does it once for each template.
type Template struct {
	// settings are without seeds.
	settings trace.Settings
	sum      [sha256.Size]byte
}

// Seeds are what differs between the cells of a template.
type Seeds struct {
	// World is the seed of the instance. Scripted is that of the embedded model, Faults that of its faults; both
	// are those of the first repeat, and grow by one with each further repeat.
	World, Scripted, Faults uint64
}

// SeedsOf are the seeds of settings.
func SeedsOf(s trace.Settings) Seeds { return Seeds{s.Seed, s.ScriptedSeed, s.FaultSeed} }

// in returns settings with these seeds.
func (of Seeds) in(s trace.Settings) trace.Settings {
	s.Seed = of.World
	s.ScriptedSeed = of.Scripted
	s.FaultSeed = of.Faults
	return s
}

// TemplateOf is the template of settings that a session has completed. With a budget on tokens or cost, answers have a
// length at most: otherwise one could take more than was reserved for it.
func TemplateOf(s trace.Settings, budget trace.Limit) *Template {
	return TemplateOfProgram("", s, budget)
}

// TemplateOfProgram is [TemplateOf] for cells that another program plays, given its [Versions.Program]; empty is this
// one. What versions that has is known once it has played, and follows from the program.
func TemplateOfProgram(program string, s trace.Settings, budget trace.Limit) *Template {
	if (budget.Tokens > 0 || budget.Cost > 0) && s.MaxOutputTokens == 0 {
		s.MaxOutputTokens = trace.OutputTokensReserved
	}
	if program != "" {
		return newTemplate(s, Versions{Program: program})
	}
	return newTemplate(s, VersionsOf(s))
}

func newTemplate(s trace.Settings, v Versions) *Template {
	s = Seeds{}.in(s)
	named := s
	named.Scenario = ""
	return &Template{s, sha256.Sum256(llmclient.Marshal(struct {
		Settings trace.Settings
		Versions Versions
	}{named, v}))}
}

// id is the identity of the cell with these seeds.
func (t *Template) id(of Seeds, repeat int64) ID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %d %d %d %d", t.sum, of.World, of.Scripted, of.Faults, repeat))
	return ID(hex.EncodeToString(sum[:8]))
}

// Settings are all that shapes the run of a cell with these seeds.
func (t *Template) Settings(of Seeds, repeat int64) trace.Settings {
	return of.repeated(repeat).in(t.settings)
}

// repeated are the seeds of a repeat, which is another run of the same instance.
func (of Seeds) repeated(repeat int64) Seeds {
	of.Scripted += uint64(repeat - 1)
	of.Faults += uint64(repeat - 1)
	return of
}

// Planned are the cells of a batch, each with the settings of its run. The zero value has none.
type Planned struct {
	// Cells are in the order in which they are played.
	Cells []Cell
	of    map[ID]templated
}

// templated is what a cell has its settings from, and its place among all.
type templated struct {
	from  *Template
	seeds Seeds
	place int
}

// Add adds a cell with these seeds, and returns it with its identity. If the batch has the same run already, it
// returns that cell, and false.
func (p *Planned) Add(c Cell, t *Template, of Seeds) (Cell, bool) {
	c.Seed = of.World
	c.ID = t.id(of.repeated(c.Repeat), c.Repeat)
	if same, twice := p.of[c.ID]; twice {
		return p.Cells[same.place], false
	}
	if p.of == nil {
		p.of = map[ID]templated{}
	}
	p.of[c.ID] = templated{t, of, len(p.Cells)}
	p.Cells = append(p.Cells, c)
	return c, true
}

// Settings are all that shapes the run of a cell. The error says that it is not of the batch.
func (p *Planned) Settings(c Cell) (trace.Settings, error) {
	of, known := p.of[c.ID]
	if !known {
		return trace.Settings{}, fmt.Errorf("cell %s is not of this batch", c.ID)
	}
	return of.from.Settings(of.seeds, c.Repeat), nil
}
