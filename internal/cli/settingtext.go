package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// settingsTopic is the help page "help settings": after the order of the sources, for
// each setting what it is, where it can be set, strongest first, what it may be and what
// holds without it. It is a command without an action, which cobra lists as a help topic.
func settingsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("A setting is taken from the first of these that has it: a flag, the environment,\n" +
		"the configuration file (--config FILE, or config.toml in the working directory),\n" +
		"the default. Blank variables and texts count as unset. In the file each key stands\n" +
		"in its table, [run], [llm] or one for each agent; unknown keys are errors.\n")
	for _, s := range settingTable() {
		b.WriteString("\n" + folded(s.doc, 0))
		place := func(name, text string) {
			b.WriteString(folded(fmt.Sprintf("    %-13s%s", name, text), 17))
		}
		if s.flag != "" {
			place("flag", "--"+s.flag)
		}
		for _, name := range s.env {
			place("environment", name)
		}
		if s.kind == kindAgents {
			place("file", "[agents.\"ID\"] with "+strings.Join(agentKeys, ", "))
		} else {
			place("file", s.key)
		}
		if allowed := s.allowed(); allowed != "" {
			place("allowed", allowed)
		}
		place("default", cmp.Or(s.fallback, s.absent))
	}
	return &cobra.Command{Use: "settings", Short: "every setting with its flag, environment variables and file key",
		Long: b.String()}
}

// allowed describes the values a setting may have; empty when any text will do.
// It is the same text in help and in the error for a value that is not allowed.
func (s setting) allowed() string {
	if s.removable {
		s.removable = false
		return cmp.Or(s.allowed(), "a text") + ", or " + noneText
	}
	switch s.kind {
	case kindCount:
		return fmt.Sprintf("a whole number from %d to %d", s.min, s.max)
	case kindNumber:
		return fmt.Sprintf("a number from %d to %d", s.min, s.max)
	case kindJSON:
		return "a JSON object"
	case kindSeed:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(1<<64-1))
	case kindMillis:
		return fmt.Sprintf("a duration such as 30s or a number of milliseconds, from %v to %v", millis(s.min), millis(s.max))
	case kindSwitch:
		return "true, false"
	case kindMoney:
		return "an amount of money above 0 such as 2 or 0.05, in the currency of the prices"
	case kindAgents:
		return agentModelForm
	case kindChoice:
		return strings.Join(s.choices, ", ")
	}
	return ""
}

// printConfig shows every setting with its value and its origin, and no secret:
//
//	setting  value                origin
//	ticks    30                   flag --ticks
//	api_key  set (51 characters)  environment OPENAI_API_KEY
//
// Origins are flags, variables, lines of the configuration file and defaults. The
// values have been checked before, so what is shown is what a run would use. A key shows
// its length only; URLs show their effective form, with what looks like a secret masked.
func (m *Main) printConfig(values []value) error {
	w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	plaintext.Fprintf(w, "setting\tvalue\torigin\n")
	for _, v := range values {
		text := v.text
		switch v.setting.kind {
		case kindSecret:
			text = fmt.Sprintf("set (%d characters)", len([]rune(text)))
		case kindURL:
			text = "not a base URL"
			if url, err := openai.ParseBaseURL(v.text); err == nil {
				text = url.String()
			}
		case kindAgents:
			text = maskedAgentModels(v.text)
		case kindText, kindPath, kindFile, kindDir, kindChecks, kindJSON:
			text = strconv.Quote(text)
		}
		if v.text == "" {
			text = v.setting.absent
		}
		plaintext.Fprintf(w, "%s\t%s\t%s\n", v.setting.name(), text, v.origin.String())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}
