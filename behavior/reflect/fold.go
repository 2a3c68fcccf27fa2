package reflect

import (
	"slices"

	"example.com/agentworld/memory/playbook"
)

// Learned is what one curation changed in an agent's own copy of a playbook.
type Learned struct {
	Tick    int64
	Agent   string
	Applied []playbook.Applied
	Ground  playbook.Curation
}

// Folder carries what agents learned in copies of a playbook over to the playbook
// itself, one curation after the other. Its memory grows with the lessons that the
// copies ever added, of which it keeps the ids, and not with the curations.
type Folder struct {
	seed, next *playbook.Playbook
	limits     playbook.Limits
	copies     map[string]names
}

// NewFolder returns a folder of copies of seed.
func NewFolder(seed *playbook.Playbook, limits playbook.Limits) *Folder {
	return &Folder{seed: seed, next: seed, limits: limits, copies: map[string]names{}}
}

// Playbook is the playbook with everything added so far; it is the seed itself when
// nothing changed.
func (f *Folder) Playbook() *playbook.Playbook { return f.next }

// Add carries one curation over, under the rules of playbooks.
//
// Bullets that a copy got by itself have ids that mean something else in the file;
// what is said about them follows them there. Where the file has such a lesson
// already, it is that bullet.
func (f *Folder) Add(l Learned) (applied []playbook.Applied, rejected []playbook.Rejected) {
	if f.copies[l.Agent] == nil {
		f.copies[l.Agent] = newNames(f.seed)
	}
	ids := f.copies[l.Agent]
	var deltas []playbook.Delta
	for _, a := range l.Applied {
		if a.Delta.Op != playbook.OpDisplace {
			deltas = append(deltas, ids.delta(a.Delta))
		}
	}
	f.next, applied, rejected = playbook.Apply(f.next, deltas, ids.ground(l.Ground), f.limits)
	ids.learn(l.Applied, applied, rejected)
	return applied, rejected
}

// names are the ids that the bullets of a copy have in the file. A bullet that the
// file did not take has none.
type names map[string]string

func newNames(seed *playbook.Playbook) names {
	n := names{}
	for _, b := range seed.Bullets() {
		n[b.ID] = b.ID
	}
	return n
}

// delta returns d as it reads for the file. An added bullet has no id yet.
func (n names) delta(d playbook.Delta) playbook.Delta {
	d.ID = n[d.ID]
	return d
}

// ground returns g with the bullets that decisions used under their ids in the file.
func (n names) ground(g playbook.Curation) playbook.Curation {
	g.Decisions = slices.Clone(g.Decisions)
	for i, d := range g.Decisions {
		var used []string
		for _, id := range d.Used {
			if name, known := n[id]; known {
				used = append(used, name)
			}
		}
		g.Decisions[i].Used = used
	}
	return g
}

// learn notes under which ids the bullets that a copy added are in the file.
func (n names) learn(copied []playbook.Applied, applied []playbook.Applied, rejected []playbook.Rejected) {
	for _, c := range copied {
		if c.Delta.Op != playbook.OpAdd || c.After == nil {
			continue
		}
		for _, a := range applied {
			if a.Delta.Op == playbook.OpAdd && a.Delta.Content == c.Delta.Content {
				n[c.After.ID] = a.After.ID
			}
		}
		for _, r := range rejected {
			if r.Code == playbook.Duplicate && r.Delta.Op == playbook.OpAdd && r.Delta.Content == c.Delta.Content {
				n[c.After.ID] = r.Other
			}
		}
	}
}
