package cli

import (
	"testing"

	"example.com/agentworld/llmclient/stub"
)

// TestModeAndSeedOfTheStubAreReadBack: what a trace records of the stub is what a
// fork begins with.
func TestModeAndSeedOfTheStubAreReadBack(t *testing.T) {
	for _, c := range []struct {
		config     config
		url        string
		mode, seed string
	}{
		{config{ScriptedMode: scriptedNormal}, "embedded:scripted", "", ""},
		{config{ScriptedMode: scriptedNormal, ScriptedSeed: optionalSeed{true, 5}}, "embedded:scripted", "", ""},
		{config{ScriptedMode: scriptedNormal, ScriptedSeed: optionalSeed{true, 0}}, "embedded:scripted+seed=0", "", "0"},
		{config{ScriptedMode: string(stub.Modes()[0])}, "embedded:scripted+" + string(stub.Modes()[0]), string(stub.Modes()[0]), ""},
		{config{ScriptedMode: string(stub.Modes()[0]), ScriptedSeed: optionalSeed{true, 9}}, "embedded:scripted+" + string(stub.Modes()[0]) + "+seed=9", string(stub.Modes()[0]), "9"},
	} {
		url := embeddedURL + c.config.habits(5)
		if url != c.url {
			t.Errorf("%+v is recorded as %s, want %s", c.config, url, c.url)
		}
		if mode, seed := embeddedHabits(url); mode != c.mode || seed != c.seed {
			t.Errorf("%s is read as %q, %q", url, mode, seed)
		}
	}
	if mode, seed := embeddedHabits("http://embedded/v1+seed=3"); mode != "" || seed != "" {
		t.Errorf("a live endpoint has mode and seed %q, %q", mode, seed)
	}
}
