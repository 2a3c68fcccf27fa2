package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
)

// ownMetrics are those of the user's own: what extensions add, what flags give, and what a batch file has.
type ownMetrics struct {
	list metric.List
	// given are the texts of the flags, fromFlags what they describe.
	given     []string
	fromFlags metric.List
}

// metricFlag is the flag that gives a metric.
const metricFlag = "metric"

// linkMetrics takes up the metrics of the extensions. One that cannot be is a bug of the program.
func (m *Main) linkMetrics() {
	for _, e := range m.Extensions {
		m.metrics.list = append(m.metrics.list, e.Metrics...)
	}
	if err := m.metrics.list.Check(); err != nil {
		panic("cli: " + err.Error())
	}
}

// addMetricFlag gives a command the flag for metrics of the user's own.
func (m *Main) addMetricFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&m.metrics.given, metricFlag, nil,
		"metric of your own as NAME=JQ, NAME:higher=JQ or NAME:lower=JQ, more than once for several; docs/metrics.md")
}

// takeMetrics reads the flags for metrics. It returns the names of known metrics among their texts, which
// have commas between.
func (m *Main) takeMetrics() (names []string, err error) {
	for _, text := range m.metrics.given {
		if !strings.Contains(text, "=") {
			for name := range strings.SplitSeq(text, ",") {
				names = append(names, strings.TrimSpace(name))
			}
			continue
		}
		one, err := metric.Parse(text)
		if err != nil {
			return nil, badInput("--%s: %w", metricFlag, err)
		}
		m.metrics.fromFlags = append(m.metrics.fromFlags, one)
	}
	m.metrics.list = append(m.metrics.list, m.metrics.fromFlags...)
	m.metrics.given = nil
	if err := m.metrics.list.Check(); err != nil {
		return nil, badInput("--%s: %w", metricFlag, err)
	}
	return names, nil
}

// readMetrics reads the flags for metrics of a command that has no other use for their names.
func (m *Main) readMetrics() error {
	names, err := m.takeMetrics()
	if err == nil && len(names) > 0 {
		return badInput("--%s %s: allowed: NAME=JQ, NAME:higher=JQ or NAME:lower=JQ", metricFlag, shown(names[0]))
	}
	return err
}

// known are all metrics that a condition can be about.
func (m *ownMetrics) known() report.MetricList { return report.AllMetrics(m.list.Own()...) }

// measureBatch computes metrics of the results of a batch that do not have them.
func (m *Main) measureBatch(dir batch.Dir, list metric.List, results []batch.Result) error {
	if err := dir.Measure(m.measuring(), list, results, runtime.GOMAXPROCS(0)); err != nil {
		return failWith(exitInterrupted, fmt.Errorf("interrupted before the runs of %s were measured",
			shown(m.shownPath(string(dir)))))
	}
	return nil
}

// measuring is the context of what metrics compute: a second interruption ends it.
func (m *Main) measuring() context.Context {
	if m.Quit != nil {
		return m.Quit
	}
	return context.Background()
}
