package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigFileLines(t *testing.T) {
	const text = `# settings
llm = {model = "m", timeout_ms = 1_000}

[run]
ticks = 7
"seed" = 12 # quoted
agents = "3"
quiet = true
`
	f, err := ParseFile("x.toml", []byte(text), Standard())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]entry{
		"llm.model": {"m", 2}, "llm.timeout_ms": {"1000", 2}, "run.ticks": {"7", 5}, "run.seed": {"12", 6},
		"run.agents": {"3", 7}, "run.quiet": {"true", 8},
	}
	if diff := cmp.Diff(want, f.entries, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

const (
	llmKeys = "model, base_url, api_key, max_requests_per_minute, max_tokens_per_minute, offline, allow_store, scripted_mode, scripted_seed, stub_manner, timeout_ms, decision_deadline_ms, retry_backoff_ms, faults, fault_seed, context_window, max_output_tokens, reasoning_effort, service_tier, temperature, top_p, extra_body, sampling_json, max_module_calls, max_repair_rounds, repeat_advice_after, price_table, cap_calls, cap_tokens, cap_cost, cap_agent_calls, cap_agent_tokens, cap_agent_cost, cap_tick_calls, cap_tick_tokens, cap_tick_cost, system_prompt, short_term_goal, long_term_goal, prompt_profile, prompt_language"
	runKeys = "scenario, ticks, seed, vary, agents, concurrency, ahead, ahead_waste, protocol, commit, guard_off, max_degraded, min_score, max_parse_errors, gate, seats, seat_timeout_ms, fallback, bind_plan, chain_steps, words, prompt_switches_json, documents, tools, playbook, playbook_bullets, freeze_playbook, learn_every, playbook_size, replay_from, replay_miss, report_json, run_dir, trace_segment_mb, print_llm_io, llm_io_max_chars, dashboard, dashboard_listen, dashboard_host, control, paused, quiet, log_level, log_timestamps"
)

func TestConfigFileRefuses(t *testing.T) {
	tables := "allowed: [llm] with " + llmKeys + "; [run] with " + runKeys + `; [agents."ID"] with model, base_url, key_env`
	for _, c := range []struct{ text, want string }{
		{"[run]\n\ntickz = 1\n", `x.toml:3: unknown key "tickz" in [run]; did you mean "ticks"? allowed: ` + runKeys},
		{"[llm]\nticks = 1\n", `x.toml:2: unknown key "ticks" in [llm]; allowed: ` + llmKeys},
		{"ticks = 1\n", `x.toml:1: unknown table or top-level key "ticks"; did you mean ticks in [run]?`},
		{"[world]\n[worlds]\n", `x.toml:1: unknown table or top-level key "world"; ` + tables + "\n" + `x.toml:2: unknown table or top-level key "worlds"`},
		{"\n[world]\n", `x.toml:2: unknown table or top-level key "world"; ` + tables},
		{"[[run]]\nticks = 1\n", `x.toml:1: unknown table or top-level key "run"; ` + tables},
		{"[run.ticks]\nn = 1\n", "x.toml:1: run.ticks: the value has the wrong type; allowed: a whole number"},
		{"[run]\nticks = true\n", "x.toml:2: run.ticks: the value has the wrong type; allowed: a whole number"},
		{"[run]\nticks = 1.0\n", "x.toml:2: run.ticks: the value has the wrong type; allowed: a whole number"},
		{"[run]\nquiet = 1\n", "x.toml:2: run.quiet: the value has the wrong type; allowed: true or false"},
		{"[llm]\nmodel = 5\n", "x.toml:2: llm.model: the value has the wrong type; allowed: a text in quotes"},
		{"[llm]\ntimeout_ms = [1]\n", "x.toml:2: llm.timeout_ms: the value has the wrong type; allowed: a whole number of milliseconds, or a duration in quotes"},
	} {
		_, err := ParseFile("x.toml", []byte(c.text), Standard())
		if err == nil || err.Error() != c.want && !strings.HasPrefix(err.Error(), c.want+"\n") {
			t.Errorf("ParseFile(%q):\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestConfigFileSyntaxErrorHasAPosition(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[run]\nticks = \n", "x.toml:2:9: "},
		{"[run]\nticks = 1\nticks = 2\n", "x.toml:3:1: "},
	} {
		_, err := ParseFile("x.toml", []byte(c.text), Standard())
		if err == nil || len(err.Error()) <= len(c.want) || err.Error()[:len(c.want)] != c.want {
			t.Errorf("ParseFile(%q): %v, want an error that starts with %s", c.text, err, c.want)
		}
	}
}

// FuzzConfigFile holds that no file makes the parser panic and that what it
// accepts is a setting.
func FuzzConfigFile(f *testing.F) {
	for _, text := range []string{"", "[run]\nticks = 1\n", "llm = {model = 'x'}", "[a.b]\nc.d = {e = [1]}", "[[run]]", "run.ticks = 3\n[run.seed]"} {
		f.Add([]byte(text))
	}
	all := Standard()
	f.Fuzz(func(t *testing.T, data []byte) {
		file, _ := ParseFile("x.toml", data, all)
		for key := range file.entries {
			if _, ok := all.ByKey(key); !ok {
				t.Errorf("accepted %q, which is no setting", key)
			}
		}
	})
}
