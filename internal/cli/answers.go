package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// answersCommand works on recorded answers as files of their own.
func answersCommand(m *Main) *cobra.Command {
	export := &cobra.Command{
		Use:   "export RUN FILE",
		Short: "write a run's recorded answers to a compressed file for --replay-from",
		Args:  arguments(2, "a run directory and a file"),
		RunE:  func(_ *cobra.Command, args []string) error { return exportAnswers(m, args[0], args[1]) },
	}
	show := &cobra.Command{
		Use:   "show FILE",
		Short: "tell what a file of answers was recorded from",
		Args:  oneArgument("a file of answers or a run directory"),
		RunE:  func(_ *cobra.Command, args []string) error { return showAnswers(m, args[0]) },
	}
	return group("answers", "work on recorded answers", m.readsUnverified(export), m.readsUnverified(show))
}

// errSecret ends an export that would tell a secret.
var errSecret = errors.New("an answer holds what looks like a key")

// exportAnswers writes the file at once or not at all. Secrets are removed when an
// answer comes in; a line that still looks as if it held one ends the export, because
// such a file is made to be shared, and cutting it out here would change the prompts
// that follow from it.
func exportAnswers(m *Main, runDir, name string) error {
	if err := notStdout("a file of answers", name); err != nil {
		return err
	}
	keys := m.keysOfEnvironment()
	refuseSecret := func(line []byte) error {
		if !settings.HoldsKey(string(line), keys) {
			return nil
		}
		if record, err := trace.Decode(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			return fmt.Errorf("%w, in a %s record of tick %d", errSecret, record.RecordType(), trace.TickOf(record))
		}
		return errSecret
	}
	var counts trace.AnswerCounts
	err := m.writeFromTrace(runDir, name, func(w io.Writer) (err error) {
		counts, err = m.source(runDir).ExportAnswers(w, refuseSecret)
		return err
	})
	if errors.Is(err, run.ErrNoAnswers) {
		return badInput("%s holds no answer to export; allowed: a run in which a model was asked", shown(runDir))
	}
	if run.Damaged(err) || errors.Is(err, errSecret) {
		return badInput("the answers of %s cannot be exported: %w", shown(runDir), err)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(m.path(name))
	if err != nil {
		return fmt.Errorf("look at %s: %w", shown(name), cause(err))
	}
	plaintext.Fprintf(m.Stdout, "%s: %s of %s, %d bytes\n", name, plaintext.Count(counts.Answers, "answer"),
		plaintext.Count(counts.LastTick, "tick"), info.Size())
	return nil
}

// showAnswers prints the facts of a recording.
func showAnswers(m *Main, name string) error {
	h, err := run.ReadRecording(m.path(name), m.readings[m.path(name)])
	if err != nil {
		return badInput("%s is no recording: %v; allowed: a file of answers or a run directory", shown(name), cause(err))
	}
	answers, last := 0, int64(0)
	for record, err := range run.Records(m.path(name), m.readings[m.path(name)], trace.TypeModelCall) {
		if err != nil {
			return badInput("%s cannot be read: %w", shown(name), err)
		}
		answers++
		last = trace.TickOf(record)
	}
	for _, line := range [][2]string{
		{"answers", fmt.Sprintf("%d, the last in tick %d", answers, last)},
		{"scenario", fmt.Sprintf("%s, seed %d, %s", h.Settings.Scenario, h.Settings.Seed,
			plaintext.Count(len(h.Agents), "agent"))},
		{"model", fmt.Sprintf("%s (%s)", h.Settings.Model, h.Settings.ModelSource)},
		{"prompts", fmt.Sprintf("protocol %s, profile %s, language %s, version %s", h.Settings.Protocol,
			h.Settings.PromptProfile, h.Settings.Language, h.PromptVersion)},
		{"rules", h.RulesVersion},
	} {
		plaintext.Fprintf(m.Stdout, "%-10s%s\n", line[0], line[1])
	}
	return nil
}
