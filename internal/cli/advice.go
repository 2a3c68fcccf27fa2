package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// advice is a command that a message tells the user to run next. All of them are made in this
// file, and each is printed on a line of its own that a shell runs as it is:
//
//	next: world_llm_agent_demo resume .tmp/runs/mine   # continues the run
type advice struct {
	// words are the arguments of the program, does says what they lead to.
	words []string
	does  string
}

// advised is an error with what to do about it. Its message is that of the error.
type advised struct {
	error
	next []advice
}

// Unwrap returns the error without the advice.
func (a *advised) Unwrap() error { return a.error }

// advise adds to an error what to do about it.
func advise(err error, next ...advice) error { return &advised{err, next} }

// printAdvice writes each advice as a line.
func (m *Main) printAdvice(w io.Writer, next ...advice) {
	for _, a := range next {
		plaintext.Fprintf(w, "%s%s   # %s\n", terminal.AdvicePrefix, m.maskedLine(a.words...), a.does)
	}
}

// maskedLine is [Main.commandLine] without secrets.
func (m *Main) maskedLine(words ...string) string {
	return openai.Masked(m.commandLine(words...), append(m.keysOfEnvironment(), m.keys...)...)
}

// commandLine is a call of this program as a shell takes it.
func (m *Main) commandLine(words ...string) string {
	line := m.calledAs()
	for _, w := range words {
		line += " " + shellWord(w)
	}
	return line
}

// calledAs is how the user called the program, which need not be found by its name.
func (m *Main) calledAs() string {
	dir := filepath.Dir(m.Program)
	if filepath.Base(dir) == "exe" && strings.Contains(dir, "go-build") {
		return "go run ./cmd/" + m.called() // such a file is gone after the run
	}
	return shellWord(cmp.Or(m.Program, m.called()))
}

// shellWord quotes a word for a POSIX shell, if it has to be.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// pathWord is a path that no command takes for a flag.
func pathWord(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// again are the flags of values that the user gave on the command line, for keys that the next
// command takes, too. A secret in a URL is masked.
func again(values settings.Values, keys ...string) (words []string) {
	for _, key := range keys {
		v := values.Find(key)
		if v.Origin.Rank != settings.FromFlag || v.Text == "" {
			continue
		}
		text := v.Text
		switch v.Setting.Kind {
		case settings.KindSwitch:
			words = append(words, "--"+v.Setting.Flag+"="+text)
			continue
		case settings.KindURL:
			if url, err := openai.ParseBaseURL(text); err == nil {
				text = url.String()
			}
		case settings.KindAgents:
			text = settings.MaskedAgentModels(text)
		case settings.KindPath, settings.KindFile:
			text = pathWord(text)
		}
		words = append(words, "--"+v.Setting.Flag, text)
	}
	return words
}

// resumeAdvice continues a run. A model, its endpoint and the settings are recorded; the files
// to write are not.
func (p plan) resumeAdvice(does string, more ...string) advice {
	words := append([]string{"resume", pathWord(p.RunDir)}, more...)
	if p.configFile != "" {
		words = append(words, "--"+configFlag, pathWord(p.configFile))
	}
	keys := []string{"run.report_json", "run.ahead", "run.ahead_waste"}
	if p.Learns() {
		keys = append(keys, "run.playbook")
	}
	return advice{append(words, again(p.Values, keys...)...), does}
}

// raiseAdvice continues a run under caps of twice the size, or of twice what is spent if that is
// more. Each cap in spent has what counts against it.
func (p plan) raiseAdvice(spent trace.Caps) advice {
	var more []string
	for _, s := range settings.Caps() {
		text := func(of trace.Caps) string { return s.Text(&settings.Config{Settings: trace.Settings{Caps: of}}) }
		limit, used := text(p.Caps), text(spent)
		if n, err := strconv.ParseInt(limit, 10, 64); err == nil && n > 0 {
			count, _ := strconv.ParseInt(used, 10, 64) // none is 0
			more = append(more, "--"+s.Flag, strconv.FormatInt(min(2*max(n, count), settings.CapMax), 10))
		} else if amount, err := strconv.ParseFloat(limit, 64); err == nil && amount > 0 {
			cost, _ := strconv.ParseFloat(used, 64)
			more = append(more, "--"+s.Flag, strconv.FormatFloat(2*max(amount, cost), 'f', -1, 64))
		}
	}
	return p.resumeAdvice("continues it under caps twice as high", more...)
}

// spentOf is what counts against the caps of a run, as far as its trace can be read: of all
// agents, and of the one that spent most. A tick begins with nothing spent.
func (fl *files) spentOf(runDir string) (spent trace.Caps) {
	s, err := fl.source(runDir).State()
	if err != nil {
		return spent
	}
	most := state.Spent{}
	for _, of := range s.ByAgent {
		most = most.Most(of)
	}
	return trace.Caps{Run: trace.Limit(s.SpentByNow()), Agent: trace.Limit(most)}
}

// forkAdvice plays the ticks after one again, which another model may do.
func forkAdvice(runDir string, atTick int64, does string) advice {
	return advice{[]string{"fork", pathWord(runDir), "--at-tick", fmt.Sprint(atTick)}, does}
}

// doctorAdvice examines the endpoint with the settings of a run.
func (p plan) doctorAdvice() advice {
	words := []string{"doctor"}
	if p.configFile != "" {
		words = append(words, "--"+configFlag, pathWord(p.configFile))
	}
	return advice{append(words, again(p.Values, doctorSettings...)...), "shows what the endpoint does"}
}

// atTurn is how the reason of a run that misses an answer begins.
var atTurn = regexp.MustCompile(`^(.+), tick ([0-9]+), step [0-9]+: `)

// explainAdvice shows the turn that the reason for the end of a run names.
func explainAdvice(runDir, reason string) []advice {
	turn := atTurn.FindStringSubmatch(reason)
	if turn == nil {
		return nil
	}
	return []advice{{[]string{"explain", pathWord(runDir), "--tick", turn[2], "--agent", turn[1], "--prompts"},
		"shows the prompt"}}
}

// turnAdvice shows what an agent did in a tick, and why.
func turnAdvice(runDir string, tick int64, agent, does string) advice {
	return advice{[]string{"explain", pathWord(runDir), "--tick", fmt.Sprint(tick), "--agent", agent}, does}
}

// promptsAdvice shows the model calls of a turn, too.
func promptsAdvice(runDir string, tick int64, agent string) advice {
	return advice{append(turnAdvice(runDir, tick, agent, "").words, "--prompts"), "shows the prompts and answers"}
}

// timelineAdvice shows more of what an agent did.
func timelineAdvice(runDir, agent string, from int64) advice {
	return advice{[]string{"explain", pathWord(runDir), "--agent", agent, "--from", fmt.Sprint(from)},
		"shows the ticks after these"}
}

// sourceAdvice follows a source, one of an agent's own if agent is not empty.
func sourceAdvice(runDir, id, agent string) advice {
	words := []string{"explain", pathWord(runDir), "--source", id}
	if agent != "" {
		words = append(words, "--agent", agent)
	}
	return advice{words, "shows where the source is from and what it led to"}
}

// scenarioAdvice checks and plays a scenario.
func scenarioAdvice(file string) []advice {
	file = pathWord(file)
	return []advice{
		{[]string{"scenarios", "lint", file}, "checks it"},
		{[]string{file, "--ticks", "20"}, "plays it with the scripted stub"},
	}
}
