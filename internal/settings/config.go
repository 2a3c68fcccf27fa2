package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// Config is a run's settings, read and within their ranges: those that shape it and those of
// this process. Whether they fit each other, and what the files hold that they name, is for
// its user to find out.
type Config struct {
	trace.Settings
	Process
	// Values are the texts with where they came from, for messages. A key is in none of
	// them.
	Values Values
}

// New reads the values into a Config. The error joins one for each value that is not allowed,
// with its place and the allowed values:
//
//	config.toml:8: run.ticks: "0" is out of range; allowed: a whole number from 1 to 10000000
//
// Values are checked in the order of the table; a key in a wrong place is an error of its own. What
// comes from a run that is forked is in base.
func New(base trace.Settings, values Values) (Config, error) {
	c := Config{Settings: base, Values: slices.Clone(values)}
	keys := values.Keys()
	var wrong []error
	for i, v := range values {
		if v.Text == "" && v.Origin.Rank == FromFlag {
			reflect.ValueOf(v.Setting.Into(&c)).Elem().SetZero()
		}
		if v.Text == "" {
			continue
		}
		if err := MisplacedKey(v, keys); err != nil {
			return Config{}, err
		}
		if v.Origin.Rank == FromRun {
			continue
		}
		if err := v.Setting.Read(v.Text, v.Setting.Into(&c)); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", v.Where(), err))
		}
		if v.Setting.Kind == KindSecret {
			c.Values[i].Text = "set"
		}
	}
	return c, errors.Join(wrong...)
}

// Process are the settings that change nothing about how a run goes: who may answer, how
// fast, and what is written and shown where. Their tags are those of [trace.Settings],
// and after, the key of the setting that one is shown after.
type Process struct {
	Concurrency int64 `cli:"concurrency run.concurrency CONCURRENCY" after:"run.agents" default:"8" min:"1" max:"1024" doc:"agents that decide at the same time"`
	// Ahead is how many ticks are foreseen, 0 for none; AheadWaste how many calls of a hundred may be in vain.
	Ahead      int64 `cli:"ahead run.ahead AHEAD" after:"run.concurrency" default:"0" min:"0" max:"8" doc:"ticks to look ahead: a model is asked for turns of coming ticks while a tick waits for its slowest answer"`
	AheadWaste int64 `cli:"ahead-waste run.ahead_waste" after:"run.ahead" default:"5" min:"1" max:"50" doc:"calls asked ahead that may be in vain, in percent of the run's calls; they cost money beside --cap-calls, --cap-tokens and --cap-cost"`
	// APIKey is empty when none is set.
	APIKey openai.Secret `cli:"- llm.api_key API_KEY OPENAI_API_KEY" after:"llm.base_url" absent:"not set" doc:"key of the endpoint; never a flag"`
	// RequestsPerMinute and TokensPerMinute bound what is sent to one endpoint; 0 is no
	// bound.
	RequestsPerMinute int64 `cli:"max-requests-per-minute llm.max_requests_per_minute MAX_REQUESTS_PER_MINUTE" after:"agents" absent:"no bound" min:"1" max:"1000000000" doc:"requests sent to one endpoint in a minute, by all agents together"`
	TokensPerMinute   int64 `cli:"max-tokens-per-minute llm.max_tokens_per_minute MAX_TOKENS_PER_MINUTE" after:"llm.max_requests_per_minute" absent:"no bound" min:"1" max:"1000000000" doc:"tokens read and written at one endpoint in a minute, by all agents together"`
	Offline           bool  `cli:"offline llm.offline" after:"llm.max_tokens_per_minute" default:"false" doc:"use the scripted stub even when a model is set"`
	AllowStore        bool  `cli:"allow-store llm.allow_store ALLOW_STORE" after:"llm.offline" default:"false" doc:"where an endpoint refuses store: false, go without it: the provider may then keep what is sent"`
	RetryBackoffMS    int64 `cli:"retry-backoff llm.retry_backoff_ms RETRY_BACKOFF_MS" after:"llm.decision_deadline_ms" kind:"millis" default:"500" min:"1" max:"3600000" doc:"longest wait before the first retry of a call, doubled with each one up to 8s, a duration or milliseconds"`
	// ReplayMiss is what a request without a recorded answer leads to.
	ReplayMiss string `cli:"replay-miss run.replay_miss" default:"error" choices:"error ask" doc:"without a recorded answer: end the run, or ask the model"`
	ReportJSON string `cli:"report-json run.report_json" kind:"path" absent:"only in the run directory" doc:"also write the report to this file, without a value to .tmp/<scenario>-report.json; - is stdout, which gets nothing else"`
	RunDir     string `cli:"run-dir run.run_dir" kind:"path" absent:".tmp/runs/<UTC time>-<scenario>-<random>" doc:"directory for the trace and the report"`
	// SegmentMB is the size of a trace file, 0 for any.
	SegmentMB     int64 `cli:"trace-segment-mb run.trace_segment_mb" default:"64" min:"0" max:"100000" doc:"megabytes after which a trace file is closed and compressed, and the next one begun; 0 is never"`
	PrintLLMIO    bool  `cli:"print-llm-io run.print_llm_io" default:"false" doc:"print every model call to stderr"`
	LLMIOMaxChars int64 `cli:"llm-io-max-chars run.llm_io_max_chars" default:"2000" min:"1" max:"10000000" doc:"characters shown of each request and answer"`
	// MinScore, MaxParseErrors and Gates are conditions on the report; see report.ParseBound.
	MinScore       json.Number `cli:"min-score run.min_score" after:"run.max_degraded" absent:"any" min:"-1000000000000" max:"1000000000000" doc:"least score of the task; the exit code is 6 below"`
	MaxParseErrors json.Number `cli:"max-parse-errors run.max_parse_errors" after:"run.min_score" absent:"any" min:"0" max:"1000000000000" doc:"most answers that could not be used; the exit code is 6 above"`
	Gates          string      `cli:"gate run.gate" after:"run.max_parse_errors" kind:"gates" absent:"none" doc:"condition on a metric of the report, such as llm_errors<=0, more than once for several; the exit code is 6 if one does not hold"`
	// Dashboard serves the page of the run while it is played; Control lets its viewer intervene.
	Dashboard       bool   `cli:"dashboard run.dashboard" default:"false" doc:"serve a page that shows the run while it is played; at a terminal it stays until Ctrl-C"`
	DashboardListen string `cli:"dashboard-listen run.dashboard_listen" default:"127.0.0.1:0" doc:"host:port of that page, of this machine alone; port 0 takes a free one"`
	DashboardHost   string `cli:"dashboard-host run.dashboard_host" absent:"none" doc:"names under which a proxy before that page is asked and which it passes on as Host, with commas between"`
	Control         bool   `cli:"control run.control" default:"false" doc:"with --dashboard: the page can pause, step and change the run"`
	Paused          bool   `cli:"paused run.paused" default:"false" doc:"with --control: begin paused"`
	// Quiet leaves out progress, not what concerns money or failures.
	Quiet bool `cli:"quiet run.quiet" default:"false" doc:"no progress lines"`
	// LogLevel and LogTimestamps are about what else goes to stderr; see package terminal.
	LogLevel      string `cli:"log-level run.log_level LOG_LEVEL" default:"info" choices:"error warn note info" doc:"least important lines on stderr; info is all of them, progress included"`
	LogTimestamps bool   `cli:"log-timestamps run.log_timestamps LOG_TIMESTAMPS" default:"false" doc:"begin each line on stderr with its time in UTC"`
}
