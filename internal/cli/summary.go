package cli

import (
	"io"
	"strconv"
	"strings"

	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/summary"
	"example.com/agentworld/trace"
)

// colours are those of the tones of a summary.
var colours = map[summary.Tone]terminal.Colour{
	summary.Strong: terminal.Bold, summary.Good: terminal.Green, summary.Warn: terminal.Yellow, summary.Bad: terminal.Red,
}

// printSummary prints the summary of a run on stdout, in colours if it is a terminal, and below it other lines.
func (m *Main) printSummary(r report.Report, o summary.Options, below string) error {
	o.Columns = m.outputColumns()
	lines := summary.Of(r, o)
	screen, painted := m.Stdout.(*terminal.Screen)
	if !painted || !m.Colours {
		return m.print(summaryText(lines) + below)
	}
	for _, line := range lines {
		if err := screen.Paint(line.Text, colours[line.Tone]); err != nil {
			return err
		}
	}
	return m.print(below)
}

// summaryText is a summary without colours.
func summaryText(lines []summary.Line) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.Text + "\n")
	}
	return b.String()
}

// look is a command that shows more of a run.
type look struct {
	words []string
	shows string
}

// looks are the commands that show more of a run: the turn that failed first, and all its figures.
func looks(runDir string, r report.Report) (list []look) {
	if first := r.FirstFailure; first != nil {
		list = append(list, look{words: turnAdvice(runDir, first.Tick, first.AgentID, "").words,
			shows: "the first turn that failed"})
	}
	switch r.RunStatus {
	case trace.RunUnfinished:
		list = append(list, look{words: []string{"inspect", pathWord(runDir)}, shows: "whether a process works on it"})
	case trace.RunInterrupted, trace.RunProviderFailed:
		again := []string{"resume", pathWord(runDir)}
		if depth := r.Timing.Ahead.Depth; depth > 0 { // else what was asked ahead is asked again
			again = append(again, "--ahead", strconv.FormatInt(depth, 10))
		}
		list = append(list, look{words: again, shows: "what comes after it"})
	}
	all := []string{"report", pathWord(runDir), "--all"}
	return append(list, look{words: all, shows: "all agents and all figures"})
}

// looksText are [looks] as lines, each a command that a shell runs as it is.
func (m *Main) looksText(runDir string, r report.Report) string {
	var b strings.Builder
	for _, l := range looks(runDir, r) {
		plaintext.Fprintf(&b, "more    %s   # %s\n", m.maskedLine(l.words...), l.shows)
	}
	return b.String()
}

// printFigures prints the summary of a run with all its agents, and then all its figures.
func printFigures(m *Main, r report.Report) error {
	return m.printSummary(r, summary.Options{AllAgents: true}, "\n"+r.Text())
}

// showSummary prints the summary of a run and the lines below it on stderr, beside what a program reads.
func (m *Main) showSummary(r report.Report, below string) {
	_, _ = io.WriteString(m.Stderr, summaryText(summary.Of(r, summary.Options{}))+below)
}
