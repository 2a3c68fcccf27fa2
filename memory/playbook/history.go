package playbook

import (
	"fmt"
	"reflect"
	"slices"
)

// VersionsMax bounds the versions a history holds; the oldest are forgotten, which
// makes the oldest that is left the first that can be gone back to.
const VersionsMax = 64

// Version is one step in the history of a playbook.
type Version struct {
	// Number is the version the changes led to.
	Number int `toml:"version"`
	// Tick is the tick of the consolidation.
	Tick int64 `toml:"tick"`
	// Note says where it came from, such as the run that was learned from.
	Note string `toml:"note,omitempty"`
	// Changes are what was done, in order.
	Changes []Change `toml:"-"`
}

// Change is one change of one bullet. What the bullet was like afterwards is in the
// next change of it, or in the playbook.
type Change struct {
	Op Op     `toml:"op"`
	ID string `toml:"id"`
	// Tag is what was counted, for [OpTag].
	Tag Tag `toml:"tag,omitempty"`
	// Reason is the reason that was given for the change.
	Reason string `toml:"reason,omitempty"`
	// Evidence are the decisions it rests on.
	Evidence []Evidence `toml:"evidence,omitempty,inline"`
	// Before is the bullet before the change, nil when there was none.
	Before *Bullet `toml:"-"`
}

// remembered returns a history with one more version, without the oldest when it
// would be too long.
func remembered(history []Version, added Version) []Version {
	all := append(slices.Clone(history), added)
	return all[max(0, len(all)-VersionsMax):]
}

// Oldest returns the oldest version that [Playbook.Rollback] and [Playbook.At]
// can reach.
func (p *Playbook) Oldest() int { return p.version - len(p.history) }

// History returns the versions after the oldest, oldest first.
func (p *Playbook) History() []Version {
	out := make([]Version, len(p.history))
	for i, v := range p.history {
		v.Changes = slices.Clone(v.Changes)
		for j, c := range v.Changes {
			v.Changes[j].Evidence = slices.Clone(c.Evidence)
			if c.Before != nil {
				v.Changes[j].Before = new(c.Before.copied())
			}
		}
		out[i] = v
	}
	return out
}

// At returns the bullets of an older version in order of their numbers, or an
// error that says which versions can be reached.
func (p *Playbook) At(version int) ([]Bullet, error) {
	if version < p.Oldest() || version > p.version {
		return nil, fmt.Errorf("version %d of the playbook is not held: it reaches from %d to %d", version, p.Oldest(),
			p.version)
	}
	bullets := slices.Clone(p.bullets)
	for _, v := range slices.Backward(p.history[version-p.Oldest():]) {
		for _, c := range slices.Backward(v.Changes) {
			bullets = undo(bullets, c)
		}
	}
	return copies(bullets), nil
}

// undo returns the bullets as they were before a change. It works on the list it
// is given.
func undo(bullets []Bullet, c Change) []Bullet {
	// By number, not by id: a bullet moved to another section by hand is still the
	// one whose number the change names.
	_, number, _ := splitID(c.ID)
	at, found := numbered(bullets, number)
	switch {
	case c.Before == nil && found:
		return slices.Delete(bullets, at, at+1)
	case c.Before == nil:
		// Someone took the bullet out of the file by hand.
		return bullets
	case found:
		bullets[at] = *c.Before
		return bullets
	}
	return slices.Insert(bullets, at, *c.Before)
}

// Rollback returns the playbook with the bullets of an older version, exactly as
// they were, as a new version; tick stamps it. Ids that were given out since are
// not given out again. Going back to what is there already changes nothing.
func (p *Playbook) Rollback(version int, tick int64) (*Playbook, error) {
	bullets, err := p.At(version)
	differences := Diff(p.bullets, bullets)
	if err != nil || len(differences) == 0 {
		return p, err
	}
	restored := Version{Number: p.version + 1, Tick: max(tick, 0), Note: fmt.Sprintf("rollback to version %d", version)}
	for _, d := range differences {
		restored.Changes = append(restored.Changes, Change{Op: OpRestore, ID: d.ID, Before: d.Before})
	}
	return build(restored.Number, p.last, p.sections, bullets, remembered(p.history, restored)), nil
}

// Difference is a bullet that is not the same in two playbooks.
type Difference struct {
	ID string
	// Before and After are the bullet in the first and the second one; Before
	// is nil when it is only in the second, After when only in the first.
	Before, After *Bullet
}

// Diff returns the bullets that differ between two versions or playbooks, in order of
// their numbers.
func Diff(a, b []Bullet) (out []Difference) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && byNumber(a[0], b[0]) < 0:
			out = append(out, Difference{ID: a[0].ID, Before: &a[0]})
			a = a[1:]
		case len(a) == 0 || byNumber(a[0], b[0]) > 0:
			out = append(out, Difference{ID: b[0].ID, After: &b[0]})
			b = b[1:]
		default:
			if !reflect.DeepEqual(a[0], b[0]) {
				out = append(out, Difference{ID: a[0].ID, Before: &a[0], After: &b[0]})
			}
			a, b = a[1:], b[1:]
		}
	}
	return out
}
