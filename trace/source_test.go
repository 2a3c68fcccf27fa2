package trace

import (
	"encoding/json"
	"testing"
)

func TestTrustText(t *testing.T) {
	for level, name := range trustNames {
		encoded, err := json.Marshal(Trust(level))
		if err != nil || string(encoded) != `"`+name+`"` {
			t.Errorf("Marshal(%d) = %s, %v, want %q", level, encoded, err, name)
		}
		var back Trust
		if err := json.Unmarshal(encoded, &back); err != nil || back != Trust(level) {
			t.Errorf("Unmarshal(%s) = %v, %v, want %v", encoded, back, err, Trust(level))
		}
	}
	if got := Trust(99).String(); got != "unknown" {
		t.Errorf("Trust(99).String() = %q, want unknown", got)
	}
	damaged := TrustRules
	if err := damaged.UnmarshalText([]byte("RULES")); err != nil || damaged != TrustToolError {
		t.Errorf("an unknown level reads as %v, %v, want %v", damaged, err, TrustToolError)
	}
}
