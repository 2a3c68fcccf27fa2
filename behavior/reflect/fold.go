package reflect

import (
	"slices"

	"example.com/agentworld/memory/playbook"
)

// Learned is what one consolidation changed in an agent's own copy of a playbook.
type Learned struct {
	Agent   string
	Applied []playbook.Applied
	Input   playbook.ConsolidationInput
}

// Folder carries what agents learned in copies of a playbook over to the playbook
// itself, one consolidation after the other. Its memory grows with the lessons that the
// copies ever added, of which it keeps the ids, and not with the consolidations.
type Folder struct {
	seed, next *playbook.Playbook
	limits     playbook.Limits
	// copies are, by agent, the ids that the bullets of its copy have in the file. A
	// bullet that the file did not take has none.
	copies map[string]map[string]string
}

// NewFolder returns a folder of copies of seed.
func NewFolder(seed *playbook.Playbook, limits playbook.Limits) *Folder {
	return &Folder{seed: seed, next: seed, limits: limits, copies: map[string]map[string]string{}}
}

// Playbook is the playbook with everything added so far; it is the seed itself when
// nothing changed.
func (f *Folder) Playbook() *playbook.Playbook { return f.next }

// Add carries one consolidation over, under the rules of playbooks.
//
// Bullets that a copy got by itself have ids that mean something else in the file;
// what is said about them follows them there. Where the file has such a lesson
// already, it is that bullet.
func (f *Folder) Add(l Learned) (applied []playbook.Applied, rejected []playbook.Rejected) {
	ids := f.copies[l.Agent]
	if ids == nil {
		ids = map[string]string{}
		for _, b := range f.seed.Bullets() {
			ids[b.ID] = b.ID
		}
		f.copies[l.Agent] = ids
	}
	var deltas []playbook.Delta
	for _, a := range l.Applied {
		if d := a.Delta; d.Op != playbook.OpDisplace {
			d.ID = ids[d.ID] // an added bullet has no id yet
			deltas = append(deltas, d)
		}
	}
	ground := l.Input
	ground.Decisions = slices.Clone(ground.Decisions)
	for i, d := range ground.Decisions {
		var used []string
		for _, id := range d.Used {
			if name, known := ids[id]; known {
				used = append(used, name)
			}
		}
		ground.Decisions[i].Used = used
	}
	f.next, applied, rejected = playbook.Apply(f.next, deltas, ground, f.limits)
	for _, c := range l.Applied {
		if c.Delta.Op != playbook.OpAdd || c.After == nil {
			continue
		}
		for _, a := range applied {
			if a.Delta.Op == playbook.OpAdd && a.Delta.Content == c.Delta.Content {
				ids[c.After.ID] = a.After.ID
			}
		}
		for _, r := range rejected {
			if r.Code == playbook.Duplicate && r.Delta.Op == playbook.OpAdd && r.Delta.Content == c.Delta.Content {
				ids[c.After.ID] = r.Other
			}
		}
	}
	return applied, rejected
}
