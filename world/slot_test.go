package world

import "testing"

// TestParametersFitTheirSlots: no action has two parameters of one slot, and a slot that
// holds a number takes amounts alone.
func TestParametersFitTheirSlots(t *testing.T) {
	used := map[Slot]bool{}
	for _, spec := range Actions() {
		taken := map[Slot]string{}
		for _, p := range spec.Params {
			s := p.Slot()
			if other, twice := taken[s]; twice {
				t.Errorf("%s: %s and %s are both in %s", spec.Name, other, p.Name, s)
			}
			if s.IsNumber() != (p.Kind == ParamAmount) {
				t.Errorf("%s: %s is a %v in the slot %s", spec.Name, p.Name, p.Kind, s)
			}
			taken[s], used[s] = p.Name, true
		}
	}
	for s := range SlotCount {
		if !used[s] {
			t.Errorf("no action uses the slot %s", s)
		}
	}
}
