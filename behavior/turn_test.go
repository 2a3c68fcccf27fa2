package behavior

import (
	"reflect"
	"testing"
)

// TestTurnIsMadeOfSmallValues: a turn and its four nouns can each be read at a glance, and none is
// another one in disguise.
func TestTurnIsMadeOfSmallValues(t *testing.T) {
	const fieldsMax = 14
	for _, v := range []any{Turn{}, protocol{}, plan{}, draft{}, exposure{}} {
		of := reflect.TypeOf(v)
		if n := of.NumField(); n > fieldsMax {
			t.Errorf("%s has %d fields, want at most %d", of.Name(), n, fieldsMax)
		}
		for f := range of.Fields() {
			if f.Anonymous {
				t.Errorf("%s embeds %s", of.Name(), f.Name)
			}
		}
	}
}
