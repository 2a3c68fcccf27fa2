package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"example.com/agentworld/trace"
)

// shownSetting runs --print-config and returns one setting's value and origin.
func shownSetting(t *testing.T, file string, env map[string]string, name string, args ...string) value {
	t.Helper()
	p := newProcess(t, env)
	if file != "" {
		if err := os.WriteFile(filepath.Join(p.dir, configName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := p.loadConfigFile("", settingTable())
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		given[args[i]] = args[i+1]
	}
	values := resolve(settingTable(), argumentSource(given["argument"]), flagSource(given), envSource(p.LookupEnv), config.source())
	i := slices.IndexFunc(values, func(v value) bool { return v.setting.name() == name })
	if i < 0 {
		t.Fatalf("no setting %s", name)
	}
	return values[i]
}

func TestStrongestSourceWins(t *testing.T) {
	const file = "[llm]\nmodel = \"from-file\"\napi_key = \"\"\n[run]\nscenario = \"minimal\"\n"
	full := map[string]string{envPrefix + "MODEL": "from-env", envPrefix + "API_KEY": "k1", "OPENAI_API_KEY": "k2"}
	for _, c := range []struct {
		name, file, setting string
		env                 map[string]string
		args                []string
		text, origin        string
	}{
		{"flag over all", file, "model", full, []string{"model", " from-flag "}, "from-flag", "flag --model"},
		{"environment over file", file, "model", full, nil, "from-env", "environment AGENT_WORLD_LLM_MODEL"},
		{"blank variable counts as unset", file, "model", map[string]string{envPrefix + "MODEL": " \t"}, nil, "from-file", "config.toml:2"},
		{"file over default", file, "scenario", nil, nil, "minimal", "config.toml:5"},
		{"argument over file", file, "scenario", nil, []string{"argument", "two_bases"}, "two_bases", "argument"},
		{"default", "", "scenario", nil, nil, "llm_bootstrap", "default"},
		{"own variable over the general one", "", "api_key", full, nil, "k1", "environment AGENT_WORLD_LLM_API_KEY"},
		{"general variable", file, "api_key", map[string]string{"OPENAI_API_KEY": "k2"}, nil, "k2", "environment OPENAI_API_KEY"},
		{"general variable when the own one is blank", "", "api_key", map[string]string{envPrefix + "API_KEY": "", "OPENAI_API_KEY": "k2"}, nil, "k2", "environment OPENAI_API_KEY"},
		{"blank text in the file counts as unset", file, "api_key", nil, nil, "", "default"},
		{"general base URL", "", "base-url", map[string]string{"OPENAI_BASE_URL": "http://localhost:1"}, nil, "http://localhost:1", "environment OPENAI_BASE_URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := shownSetting(t, c.file, c.env, c.setting, c.args...)
			if got := [2]string{v.text, v.origin.String()}; got != [2]string{c.text, c.origin} {
				t.Errorf("value and origin = %q, want %q", got, [2]string{c.text, c.origin})
			}
		})
	}
}

// TestNoneIsTakenWhereItIsSaid: who reads "default none" may write it.
func TestNoneIsTakenWhereItIsSaid(t *testing.T) {
	for _, s := range settingTable() {
		if v := shownSetting(t, "", nil, s.name(), s.name(), noneText); s.flag != "" && s.absent == noneText && v.text != "" {
			t.Errorf("--%s none sets %q", s.flag, v.text)
		}
	}
}

func TestDefaultsMakeAConfig(t *testing.T) {
	got, err := newConfig(trace.Settings{}, resolve(settingTable()))
	if err != nil {
		t.Fatal(err)
	}
	want := config{Settings: trace.DefaultSettings(), process: process{Concurrency: 8, RetryBackoffMS: 500, ReplayMiss: missError, SegmentMB: 64, LLMIOMaxChars: 2000, DashboardListen: "127.0.0.1:0", LogLevel: "info"}}
	got.values = nil
	// Without a row in the table.
	want.ReasonStepsMax, want.GuardRoundsMax = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("newConfig(defaults) = %+v, want %+v", got, want)
	}
}

// TestASettingReadsBack: a fork begins with the texts of its parent's settings.
func TestASettingReadsBack(t *testing.T) {
	for _, s := range settingTable() {
		text := s.fallback
		switch s.kind {
		case kindFile, kindDir, kindSecret, kindMillis:
			continue
		case kindMoney:
			text = "4000.00"
		case kindNumber:
			text = "0.50"
		case kindJSON:
			text = `{"b":1.0,"a":"<"}`
		case kindCount, kindSeed:
			text = cmp.Or(text, "4000")
		case kindAgents:
			text = "a=m@http://h/v1,key_env=K b=n"
		case kindChecks:
			text = "plan,taint"
		case kindGates:
			text = "score>=3 llm_errors<=0"
		case kindText, kindPath, kindURL:
			text = cmp.Or(text, "http://h")
		}
		var c config
		if err := s.read(text, s.into(&c)); err != nil || s.text(&c) != text {
			t.Errorf("%s: %q reads back as %q, %v", s.key, text, s.text(&c), err)
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
	var c config
	for _, s := range settingTable() {
		claim(s.key, s.key)
		if s.flag != "" {
			claim("--"+s.flag, s.key)
		}
		for _, name := range s.env {
			claim(name, s.key)
		}
		if s.doc == "" || s.fallback == "" && s.absent == "" {
			t.Errorf("%s: a doc line and a default or its description are needed", s.key)
		}
		if s.kind == kindSecret && s.flag != "" {
			t.Errorf("%s: a secret must not be a flag", s.key)
		}
		if s.fallback != "" {
			if err := s.read(s.fallback, s.into(&c)); err != nil {
				t.Errorf("%s: the default is refused: %v", s.key, err)
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
		s, ok := settingTable().byKey(c.setting)
		if !ok {
			t.Fatalf("no setting %s", c.setting)
		}
		var got config
		err := s.read(c.text, s.into(&got))
		if err == nil || err.Error() != c.want {
			t.Errorf("read %s from %q: error %v, want %s", c.setting, c.text, err, c.want)
		}
		if !reflect.DeepEqual(got, config{}) {
			t.Errorf("read %s from %q stored %+v although it was refused", c.setting, c.text, got)
		}
	}
}

func TestReadMillis(t *testing.T) {
	s, _ := settingTable().byKey("llm.timeout_ms")
	for text, want := range map[string]int64{"1500": 1500, "1.5s": 1500, "2m": 120_000, "0.5s": 500} {
		var got int64
		if err := s.read(text, &got); err != nil || got != want {
			t.Errorf("read(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestSeedAboveInt64(t *testing.T) {
	if _, c := configured(t, nil, map[string]string{"seed": "18446744073709551615"}); c.Seed != 1<<64-1 {
		t.Errorf("seed %d", c.Seed)
	}
}
