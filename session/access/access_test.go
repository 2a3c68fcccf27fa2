package access_test

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// TestARecordedEndpointIsAskedAsItIsWritten: a run records the secret in the query of an endpoint masked.
// Whoever handed it over has it asked whole, for the run and for an agent, and nobody else.
func TestARecordedEndpointIsAskedAsItIsWritten(t *testing.T) {
	const whole, own = "https://one.example/v1?api-key=abc123secret", "https://two.example/v1?api-key=def456secret"
	masked := func(text string) string {
		url, err := openai.ParseBaseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(url.String(), "secret1") || url.String() == text {
			t.Fatalf("%s is recorded as it is", text)
		}
		return url.String()
	}
	recorded := trace.Settings{Model: "m", ModelSource: trace.SourceLive, BaseURL: masked(whole),
		AgentModels: []trace.AgentModel{{Agent: "agent-1", Model: "n", BaseURL: masked(own), KeyEnv: "OWN"}}}
	for _, c := range []struct {
		keys      []access.Key
		run, mine string
	}{
		{[]access.Key{{Endpoint: whole}, {Endpoint: own, Name: "OWN", Secret: openai.NewSecret("k")}}, whole, own},
		{nil, masked(whole), masked(own)},
	} {
		s := recorded
		a, err := access.Choose(&s, access.Config{Keys: c.keys, Unsent: true})
		if err == nil {
			err = a.ChooseAgents(&s, "agents", []string{"agent-1"})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := a.Request(""); got != c.run {
			t.Errorf("the run asks %s, want %s", got, c.run)
		}
		if got, _ := a.Request("agent-1"); got != c.mine {
			t.Errorf("the agent asks %s, want %s", got, c.mine)
		}
		if s.BaseURL != masked(whole) || s.AgentModels[0].BaseURL != masked(own) {
			t.Errorf("recorded are %s and %s", s.BaseURL, s.AgentModels[0].BaseURL)
		}
	}
}

// TestAnEndpointOfAKeyIsRead: a key whose endpoint is no address is refused, not passed over.
func TestAnEndpointOfAKeyIsRead(t *testing.T) {
	s := trace.Settings{Model: "m", BaseURL: "https://one.example/v1"}
	_, err := access.Choose(&s, access.Config{Keys: []access.Key{access.NewKey("ftp://one.example", "", "k")}})
	if err == nil || !strings.Contains(err.Error(), "endpoint of a key") {
		t.Errorf("the error is %v", err)
	}
}
