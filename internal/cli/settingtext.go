package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// settingsTopicName is the word after "help".
const settingsTopicName = "settings"

// settingsTopic is the help page "help settings". It is a command without an action, which cobra lists
// as a help topic. Its text, which is long, is made when it is asked for.
func settingsTopic(m *Main) *cobra.Command {
	c := &cobra.Command{Use: settingsTopicName, Short: "every setting with its flag, environment variables and file key"}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		_, _ = io.WriteString(c.OutOrStdout(), folded(settingsText(m), 0)) // a screen, which escapes it
	})
	return c
}

// settingsText says after the order of the sources for each setting what it is, where it can be set,
// strongest first, what it may be and what holds without it.
func settingsText(m *Main) string {
	var b strings.Builder
	b.WriteString("A setting is taken from the first of these that has it: a flag, the environment,\n" +
		"the configuration file (--config FILE, or config.toml in the working directory),\n" +
		"the default. Blank variables and texts count as unset. In the file each key stands\n" +
		"in its table, [run], [llm] or one for each agent; unknown keys are errors.\n")
	for _, s := range m.table() {
		b.WriteString("\n" + settingText(s))
	}
	b.WriteString("\n\"help settings WORD\" shows those that have a word in their name or text.\n")
	return b.String()
}

// settingsAbout is the part of the page about the settings that have all words in their names or text.
func settingsAbout(m *Main, words []string) (string, error) {
	var found []string
	var names []string
	for _, s := range m.table() {
		text := settingText(s)
		names = append(names, s.Name())
		lacks := func(word string) bool { return !strings.Contains(strings.ToLower(text), strings.ToLower(word)) }
		if !slices.ContainsFunc(words, lacks) {
			found = append(found, text)
		}
	}
	if len(found) == 0 {
		return "", badInput("no setting has %s in its name or text; %s\"help settings\" shows all",
			shown(strings.Join(words, " ")), settings.DidYouMean(words[0], names))
	}
	return strings.Join(found, "\n"), nil
}

// settingText is what "help settings" says of one.
func settingText(s settings.Setting) string {
	var b strings.Builder
	b.WriteString(folded(s.Doc, 0))
	place := func(name, text string) {
		b.WriteString(folded(fmt.Sprintf("    %-13s%s", name, text), 17))
	}
	if s.Flag != "" {
		place("flag", "--"+s.Flag)
	}
	for _, name := range s.Env {
		place("environment", name)
	}
	if s.Kind == settings.KindAgents {
		place("file", "[agents.\"ID\"] with "+strings.Join(settings.AgentKeys, ", "))
	} else {
		place("file", s.Key)
	}
	if allowed := s.Allowed(); allowed != "" {
		place("allowed", allowed)
	}
	place("default", cmp.Or(s.Fallback, s.Absent))
	return b.String()
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
func (p *printer) printConfig(values settings.Values) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	plaintext.Fprintf(w, "setting\tvalue\torigin\n")
	for _, v := range values {
		text := v.Text
		switch v.Setting.Kind {
		case settings.KindSecret:
			text = fmt.Sprintf("set (%d characters)", len([]rune(text)))
		case settings.KindURL:
			text = "not a base URL"
			if url, err := openai.ParseBaseURL(v.Text); err == nil {
				text = url.String()
			}
		case settings.KindAgents:
			text = settings.MaskedAgentModels(v.Text)
		case settings.KindText, settings.KindPath, settings.KindFile, settings.KindDir, settings.KindChecks,
			settings.KindJSON:
			text = strconv.Quote(text)
		}
		if v.Text == "" {
			text = v.Setting.Absent
		}
		plaintext.Fprintf(w, "%s\t%s\t%s\n", v.Setting.Name(), text, v.Origin.String())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}
