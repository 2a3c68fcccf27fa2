package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

// planted is a key that no error may hold.
const planted = "sk-planted-0123456789abcdef"

func TestParseAgentModels(t *testing.T) {
	for _, c := range []struct {
		text string
		want []trace.AgentModel
	}{
		{"", nil},
		{"agent-1=small", []trace.AgentModel{{Agent: "agent-1", Model: "small"}}},
		{"a=m@http://h/v1?x=1 b=n", []trace.AgentModel{{Agent: "a", Model: "m", BaseURL: "http://h/v1?x=1"}, {Agent: "b", Model: "n"}}},
		{"a=m@localhost:8000,key_env=K_1", []trace.AgentModel{{Agent: "a", Model: "m", BaseURL: "localhost:8000", KeyEnv: "K_1"}}},
		{"a=m@127.0.0.1:1", []trace.AgentModel{{Agent: "a", Model: "m", BaseURL: "127.0.0.1:1"}}},
		{"a=m@20240620", []trace.AgentModel{{Agent: "a", Model: "m@20240620"}}},
		{"a=m@20240620@https://h", []trace.AgentModel{{Agent: "a", Model: "m@20240620", BaseURL: "https://h"}}},
		{"a=@https://h", []trace.AgentModel{{Agent: "a", BaseURL: "https://h"}}},
		{"a=m=n,key_env=K", []trace.AgentModel{{Agent: "a", Model: "m=n", KeyEnv: "K"}}},
	} {
		got, err := ParseAgentModels(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", c.text, err, diff)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"agent-1", "not of the form AGENT=MODEL"},
		{"=m", "not of the form"},
		{"a=", "not of the form"},
		{"a=m a=n", `agent "a" is given twice`},
		{"a=,key_env=K", "neither a model nor an endpoint"},
		{"a=m@https://u:" + planted + "@h", "user or password"},
		{"a=m@ftp://h", "only http and https"},
		{"a=m@http://h/v1,keyenv=K", "an option is not key_env"},
		{"a=m,key-env=" + planted, "an option is not key_env"},
		{"a=m,key_env=K,key_env=L", "or is given twice"},
		{"a=m@", "no endpoint follows the @"},
		{"a=m,key_env=" + planted, "no name of an environment variable"},
	} {
		if _, err := ParseAgentModels(c.text); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), planted) {
			t.Errorf("%q: %v, want an error about %q", c.text, err, c.want)
		}
	}
}

func TestAgentTablesOfTheFile(t *testing.T) {
	const text = `[agents."agent-1"]
model = "small"
base_url = "localhost:8000"
key_env = "SMALL_KEY"
[agents]
"b.c" = {model = "big"}
`
	f, err := ParseFile("x.toml", []byte(text), Standard())
	if err != nil {
		t.Fatal(err)
	}
	want := entry{"agent-1=small@localhost:8000,key_env=SMALL_KEY b.c=big", 2}
	if got := f.entries[AgentsTable]; got != want {
		t.Errorf("entry %+v, want %+v", got, want)
	}
	for _, c := range []struct{ text, want string }{
		{"[agents.a]\nmodell = 'm'", `x.toml:2: unknown key "a.modell" in [agents]`},
		{"[agents.a]\napi_key = '" + planted + "'", `a key is given by the name of the variable`},
		{"agents.model = 'm'", `x.toml:1: unknown key "model" in [agents]`},
		{"agents = 'a=m'", `x.toml:1: unknown table or top-level key "agents"`},
		{"[agents.a]\nmodel = 5", "x.toml:2: agents.a.model: the value has the wrong type"},
		{"[agents.a]\nmodel = 'two words'", "x.toml:2: agents.a.model: the value has the wrong type"},
		{"[agents.a]\nbase_url = 'example.org'", "x.toml:2: agent \"a\": base URL has no scheme"},
		{"[agents.a]\nmodel = 'm@http://h'", "x.toml:2: agent \"a\": the model or its endpoint holds what belongs elsewhere"},
		{"[agents.a]\nkey_env = '" + planted + "'\nmodel = 'm'", "x.toml:2: agent \"a\": key_env is no name"},
	} {
		_, err := ParseFile("x.toml", []byte(c.text), Standard())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), planted) {
			t.Errorf("%q: %v, want an error about %q", c.text, err, c.want)
		}
	}
}
