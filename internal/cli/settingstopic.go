package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// settingsTopic is the help page "help settings": where each setting comes from.
// It is a command without an action, which cobra lists as a help topic.
func settingsTopic() *cobra.Command {
	return &cobra.Command{Use: "settings", Short: "every setting with its flag, environment variables and file key", Long: settingsText(settingTable())}
}

// settingsText describes all settings for a terminal: after the order of the
// sources, for each setting what it is, where it can be set, what it may be and
// what holds without it.
func settingsText(all settings) string {
	var b strings.Builder
	b.WriteString("A setting is taken from the first of these that has it: a flag, the environment,\n" +
		"the configuration file (--config FILE, or config.toml in the working directory),\n" +
		"the default. Blank variables and texts count as unset. In the file each key stands\n" +
		"in its table, [run], [llm] or one for each agent; unknown keys are errors.\n")
	for _, s := range all {
		fmt.Fprintf(&b, "\n%s\n", s.doc)
		for _, line := range s.places() {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.String()
}

// places lists where a setting can be set, strongest first, what it may be and
// what holds without it, one line each, such as "flag         --ticks".
func (s setting) places() []string {
	lines := []string{}
	if s.flag != "" {
		lines = append(lines, "flag         --"+s.flag)
	}
	for _, name := range s.env {
		lines = append(lines, "environment  "+name)
	}
	if s.kind == kindAgents {
		lines = append(lines, "file         [agents.\"ID\"] with "+strings.Join(agentKeys, ", "))
	} else {
		lines = append(lines, "file         "+s.key)
	}
	if allowed := s.allowed(); allowed != "" {
		lines = append(lines, "allowed      "+allowed)
	}
	return append(lines, "default      "+s.defaultText())
}

// allowed describes the values a setting may have; empty when any text will do.
// It is the same text in help and in the error for a value that is not allowed.
func (s setting) allowed() string {
	if s.removable {
		s.removable = false
		return s.allowed() + ", or " + noneText
	}
	switch s.kind {
	case kindCount:
		return fmt.Sprintf("a whole number from %d to %d", s.min, s.max)
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
