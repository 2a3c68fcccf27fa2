package memory

import (
	"encoding/json"
	"testing"
)

func TestDeriveNeverRaises(t *testing.T) {
	levels := []Trust{ToolError, OtherAgent, Derived, SelfObservation, Rules}
	for _, a := range levels {
		for _, b := range levels {
			got := Derive(a, b)
			if got > a || got > b || got > SelfObservation {
				t.Errorf("Derive(%v, %v) = %v, which is more than a parent or than one's own observation", a, b, got)
			}
			if want := Min(Min(a, b), SelfObservation); got != want {
				t.Errorf("Derive(%v, %v) = %v, want %v", a, b, got, want)
			}
		}
	}
	if got := Derive(); got != Derived {
		t.Errorf("Derive() = %v, want %v", got, Derived)
	}
	var unset Trust
	if unset != ToolError {
		t.Errorf("the zero trust is %v, want the least trusted level", unset)
	}
}

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
	damaged := Rules
	if err := damaged.UnmarshalText([]byte("RULES")); err != nil || damaged != ToolError {
		t.Errorf("an unknown level reads as %v, %v, want %v", damaged, err, ToolError)
	}
}
