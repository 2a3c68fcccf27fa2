package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"example.com/agentworld"
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

// link takes up the metrics of extensions. One that cannot be is a bug of the program.
func (o *ownMetrics) link(extensions []agentworld.Extension) {
	for _, e := range extensions {
		o.list = append(o.list, e.Metrics...)
	}
	if err := o.list.Check(); err != nil {
		panic("cli: " + err.Error())
	}
}

// addFlag gives a command the flag for metrics of the user's own.
func (o *ownMetrics) addFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.given, metricFlag, nil,
		"metric of your own as NAME=JQ, NAME:higher=JQ or NAME:lower=JQ, more than once for several; docs/metrics.md")
}

// take reads the flags for metrics. It returns the names of known metrics among their texts, which
// have commas between.
func (o *ownMetrics) take() (names []string, err error) {
	for _, text := range o.given {
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
		o.fromFlags = append(o.fromFlags, one)
	}
	o.list = append(o.list, o.fromFlags...)
	o.given = nil
	if err := o.list.Check(); err != nil {
		return nil, badInput("--%s: %w", metricFlag, err)
	}
	return names, nil
}

// read reads the flags for metrics of a command that has no other use for their names.
func (o *ownMetrics) read() error {
	names, err := o.take()
	if err == nil && len(names) > 0 {
		return badInput("--%s %s: allowed: NAME=JQ, NAME:higher=JQ or NAME:lower=JQ", metricFlag, shown(names[0]))
	}
	return err
}

// known are all metrics that a condition can be about.
func (o *ownMetrics) known() report.MetricList { return report.AllMetrics(o.list.Own()...) }

// measureBatch computes metrics of the results of a batch that do not have them.
func measureBatch(m *Main, dir batch.Dir, list metric.List, results []batch.Result) error {
	if err := dir.Measure(m.measuring(), list, results, runtime.GOMAXPROCS(0)); err != nil {
		return failWith(exitInterrupted, fmt.Errorf("interrupted before the runs of %s were measured",
			shown(m.shownPath(string(dir)))))
	}
	return nil
}

// measuring is the context of what metrics compute: a second interruption ends it.
func (i *interrupts) measuring() context.Context {
	if i.Quit != nil {
		return i.Quit
	}
	return context.Background()
}
