package settings

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"example.com/agentworld/trace"
)

// shownSetting resolves the settings and returns one.
func shownSetting(t *testing.T, file string, env map[string]string, name string, args ...string) Value {
	t.Helper()
	config, err := ParseFile(ConfigName, []byte(file), Standard())
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		given[args[i]] = args[i+1]
	}
	values := Resolve(Standard(), Argument(given["argument"]), Flags(given), Environment(func(name string) (string, bool) {
		text, found := env[name]
		return text, found
	}), config.Source())
	i := slices.IndexFunc(values, func(v Value) bool { return v.Setting.Name() == name })
	if i < 0 {
		t.Fatalf("no setting %s", name)
	}
	return values[i]
}

func TestStrongestSourceWins(t *testing.T) {
	const file = "[llm]\nmodel = \"from-file\"\napi_key = \"\"\n[run]\nscenario = \"minimal\"\n"
	full := map[string]string{EnvPrefix + "MODEL": "from-env", EnvPrefix + "API_KEY": "k1", "OPENAI_API_KEY": "k2"}
	for _, c := range []struct {
		name, file, setting string
		env                 map[string]string
		args                []string
		text, origin        string
	}{
		{"flag over all", file, "model", full, []string{"model", " from-flag "}, "from-flag", "flag --model"},
		{"environment over file", file, "model", full, nil, "from-env", "environment AGENT_WORLD_LLM_MODEL"},
		{"blank variable counts as unset", file, "model", map[string]string{EnvPrefix + "MODEL": " \t"}, nil, "from-file", "config.toml:2"},
		{"file over default", file, "scenario", nil, nil, "minimal", "config.toml:5"},
		{"argument over file", file, "scenario", nil, []string{"argument", "two_bases"}, "two_bases", "argument"},
		{"default", "", "scenario", nil, nil, "llm_bootstrap", "default"},
		{"own variable over the general one", "", "api_key", full, nil, "k1", "environment AGENT_WORLD_LLM_API_KEY"},
		{"general variable", file, "api_key", map[string]string{"OPENAI_API_KEY": "k2"}, nil, "k2", "environment OPENAI_API_KEY"},
		{"general variable when the own one is blank", "", "api_key", map[string]string{EnvPrefix + "API_KEY": "", "OPENAI_API_KEY": "k2"}, nil, "k2", "environment OPENAI_API_KEY"},
		{"blank text in the file counts as unset", file, "api_key", nil, nil, "", "default"},
		{"general base URL", "", "base-url", map[string]string{"OPENAI_BASE_URL": "http://localhost:1"}, nil, "http://localhost:1", "environment OPENAI_BASE_URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := shownSetting(t, c.file, c.env, c.setting, c.args...)
			if got := [2]string{v.Text, v.Origin.String()}; got != [2]string{c.text, c.origin} {
				t.Errorf("value and origin = %q, want %q", got, [2]string{c.text, c.origin})
			}
		})
	}
}

// TestNoneIsTakenWhereItIsSaid: who reads "default none" may write it.
func TestNoneIsTakenWhereItIsSaid(t *testing.T) {
	for _, s := range Standard() {
		if v := shownSetting(t, "", nil, s.Name(), s.Name(), None); s.Flag != "" && s.Absent == None && v.Text != "" {
			t.Errorf("--%s none sets %q", s.Flag, v.Text)
		}
	}
}

func TestDefaultsMakeAConfig(t *testing.T) {
	got, err := New(trace.Settings{}, Resolve(Standard()))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Settings: trace.DefaultSettings(), Process: Process{Concurrency: 8, AheadWaste: 5, RetryBackoffMS: 500, ReplayMiss: "error", SegmentMB: 64, LLMIOMaxChars: 2000, DashboardListen: "127.0.0.1:0", LogLevel: "info"}}
	got.Values = nil
	// Without a row in the table.
	want.ReasonStepsMax, want.GuardRoundsMax = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("New(defaults) = %+v, want %+v", got, want)
	}
}

// TestASettingReadsBack: a fork begins with the texts of its parent's
func TestASettingReadsBack(t *testing.T) {
	for _, s := range Standard() {
		text := s.Fallback
		switch s.Kind {
		case KindFile, KindDir, KindSecret, KindMillis:
			continue
		case KindMoney:
			text = "4000.00"
		case KindNumber:
			text = "0.50"
		case KindJSON:
			text = `{"b":1.0,"a":"<"}`
		case KindCount, KindSeed:
			text = cmp.Or(text, "4000")
		case KindAgents:
			text = "a=m@http://h/v1,key_env=K b=n"
		case KindChecks:
			text = "plan,taint"
		case KindGates:
			text = "score>=3 llm_errors<=0"
		case KindText, KindPath, KindURL:
			text = cmp.Or(text, "http://h")
		}
		var c Config
		if err := s.Read(text, s.Into(&c)); err != nil || s.Text(&c) != text {
			t.Errorf("%s: %q reads back as %q, %v", s.Key, text, s.Text(&c), err)
		}
	}
}

// TestTableIsSound holds what resolve and newConfig take for granted.
func TestTableIsSound(t *testing.T) {
	seen := map[string]string{}
	claim := func(name, owner string) {
		if other := seen[name]; name != "" && other != "" {
			t.Errorf("%s belongs to %s and to %s", name, other, owner)
		}
		seen[name] = owner
	}
	var c Config
	for _, s := range Standard() {
		claim(s.Key, s.Key)
		if s.Flag != "" {
			claim("--"+s.Flag, s.Key)
		}
		for _, name := range s.Env {
			claim(name, s.Key)
		}
		if s.Doc == "" || s.Fallback == "" && s.Absent == "" {
			t.Errorf("%s: a doc line and a default or its description are needed", s.Key)
		}
		if s.Kind == KindSecret && s.Flag != "" {
			t.Errorf("%s: a secret must not be a flag", s.Key)
		}
		if s.Fallback != "" {
			if err := s.Read(s.Fallback, s.Into(&c)); err != nil {
				t.Errorf("%s: the default is refused: %v", s.Key, err)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ setting, text, want string }{
		{"run.ticks", "0", `"0" is out of range; allowed: a whole number from 1 to 10000000`},
		{"run.ticks", "99999999999999999999", `"99999999999999999999" is out of range; allowed: a whole number from 1 to 10000000`},
		{"run.ticks", "1.5", `"1.5" is not a whole number; allowed: a whole number from 1 to 10000000`},
		{"run.agents", "-1", `"-1" is out of range; allowed: a whole number from 1 to 100000`},
		{"run.seed", "-1", `"-1" is not a seed; allowed: a whole number from 0 to 18446744073709551615`},
		{"llm.timeout_ms", "fast", `"fast" is not a duration; allowed: a duration such as 30s or a number of milliseconds, from 1ms to 1h0m0s`},
		{"llm.timeout_ms", "0", `"0" is out of range; allowed: a duration such as 30s or a number of milliseconds, from 1ms to 1h0m0s`},
		{"llm.timeout_ms", "2h", `"2h" is out of range; allowed: a duration such as 30s or a number of milliseconds, from 1ms to 1h0m0s`},
		{"llm.offline", "yes", `"yes" is neither true nor false; allowed: true, false`},
		{"run.protocol", "Full", `"Full" is not known; did you mean "full"? allowed: full, lean`},
		{"llm.context_window", "3999", `"3999" is out of range; allowed: a whole number from 4000 to 10000000`},
		{"llm.api_key", "two words", "the key holds a space or a special character; allowed: visible ASCII characters"},
		{"run.protocol", "a\x1b[2Jb", `"a\x1b[2Jb" is not known; allowed: full, lean`},
	} {
		s, ok := Standard().ByKey(c.setting)
		if !ok {
			t.Fatalf("no setting %s", c.setting)
		}
		var got Config
		err := s.Read(c.text, s.Into(&got))
		if err == nil || err.Error() != c.want {
			t.Errorf("read %s from %q: error %v, want %s", c.setting, c.text, err, c.want)
		}
		if !reflect.DeepEqual(got, Config{}) {
			t.Errorf("read %s from %q stored %+v although it was refused", c.setting, c.text, got)
		}
	}
}

func TestReadMillis(t *testing.T) {
	s, _ := Standard().ByKey("llm.timeout_ms")
	for text, want := range map[string]int64{"1500": 1500, "1.5s": 1500, "2m": 120_000, "0.5s": 500} {
		var got int64
		if err := s.Read(text, &got); err != nil || got != want {
			t.Errorf("read(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}
