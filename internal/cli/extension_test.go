package cli

import (
	"context"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
)

// TestWhatIsElsewhereIsNamed holds that the program without extensions says which program has what it lacks.
func TestWhatIsElsewhereIsNamed(t *testing.T) {
	for _, args := range []string{"minimal --otel", "resume run --otel", "minimal --config c.toml", "worker --nats nats://127.0.0.1:1", "batch run b.toml --nats embedded", "batch run b.toml --nats-listen x"} {
		p := newProcess(t, nil, strings.Fields(args)...)
		p.Extensions = nil
		if err := os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte("[run]\notel = false\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code := p.run(t); code != exitBadInput || !strings.Contains(p.output(), clusterProgram) || strings.Count(p.output(), "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", args, code, p.output())
		}
	}
	p := newProcess(t, nil, "minimal", "--ticks", "1", "--quiet")
	p.Extensions = nil
	p.Environ = func() []string {
		return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_EXPORTER_OTLP_HEADERS=planted"}
	}
	if code := p.run(t); code != exitCompleted || strings.Count(p.stderr.String(), clusterProgram) != 1 || strings.Contains(p.output(), "planted") {
		t.Errorf("exit code %d: %s", code, p.output())
	}
}

// players are a store of batches that plays nothing.
type noPlayers struct{ wanted bool }

func (p *noPlayers) Wanted() bool { return p.wanted }
func (p *noPlayers) Check() error {
	return agentworld.Refused("two of them are too many; allowed: one")
}
func (p *noPlayers) Play(context.Context, agentworld.Program, batch.Options, trace.Limit) (batch.Ending, error) {
	return batch.Complete, nil
}

// TestExtensionsOfOthers holds that an extension's command and store are called with their flags, and that what
// they refuse is bad input.
func TestExtensionsOfOthers(t *testing.T) {
	greeted := ""
	mine := agentworld.Extension{Name: "mine", Version: "7",
		Commands: []agentworld.Command{{Use: "greet", Short: "greet somebody", New: func(flags *flag.FlagSet) func(context.Context, agentworld.Program) error {
			who := flags.String("who", "", "who it is")
			return func(_ context.Context, p agentworld.Program) error {
				greeted = *who
				if greeted == "" {
					return agentworld.Refused("nobody to greet; allowed: --who with a name")
				}
				p.Note("greeted " + *who)
				return nil
			}
		}}},
		Seats: []agentworld.Seat{{Name: "digger", Version: "3", New: func(agentworld.SeatBrief) agentworld.SeatPlayer {
			return agentworld.SeatAct(func(context.Context, agentworld.Observation) (agentworld.Move, error) {
				return agentworld.Do("mine_compound", 1000), nil
			})
		}}},
		Stores: []agentworld.BatchStore{{Name: "two", New: func(flags *flag.FlagSet) agentworld.BatchPlayers {
			p := &noPlayers{}
			flags.BoolVar(&p.wanted, "two", false, "play it twice")
			return p
		}}},
	}
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"greet --who=you", "note: greeted you", exitCompleted},
		{"greet", "allowed: --who", exitBadInput},
		{"batch run b.toml --two", "two of them are too many", exitBadInput},
		{"batch run b.toml --two --nats embedded", "--nats and --two are two ways", exitBadInput},
		{"--version", ", mine 7", exitCompleted},
		{"--version", ", wait 1, digger 3", exitCompleted},
		{"minimal --ticks 2 --seat agent-1=digger", "seats: agent-1 digger 3", exitCompleted},
	} {
		p := newProcess(t, nil, strings.Fields(c.args)...)
		p.Extensions = append(p.Extensions[:len(p.Extensions):len(p.Extensions)], mine)
		if code := p.run(t); code != c.code || !strings.Contains(p.output(), c.says) {
			t.Errorf("%s: exit code %d: %s", c.args, code, p.output())
		}
	}
	if greeted != "" {
		t.Errorf("the last greeting is to %q", greeted)
	}
}

// TestAFailingSeatIsShown holds that whoever writes a seat is told what its code did, while the run plays and
// afterwards, and is not sent to a model that nobody asked.
func TestAFailingSeatIsShown(t *testing.T) {
	broken := agentworld.Extension{Name: "mine", Version: "7", Seats: []agentworld.Seat{agentworld.NewSeat("broken", "1",
		func(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
			return agentworld.Do(o.Factories[3].ID), nil
		})}}
	of := func(code int, args ...string) string {
		t.Helper()
		p := newProcess(t, nil, args...)
		p.Extensions = []agentworld.Extension{broken}
		if got := p.run(t); got != code {
			t.Fatalf("%q: exit code %d: %s", args, got, p.output())
		}
		return p.output()
	}
	dir := filepath.Join(t.TempDir(), "run")
	const crash = "panicked, runtime error: index out of range [3] with length 0 at extension_test.go:"
	for said, want := range map[string]string{
		of(exitGate, "minimal", "--ticks", "2", "--seat", "agent-1=broken", "--run-dir", dir): "tick 1, agent-1: no move of seat broken 1: " + crash,
		of(exitCompleted, "explain", dir, "--tick", "2", "--agent", "agent-1"):                "\n  failure     seat, " + crash,
	} {
		if !strings.Contains(said, want) || strings.Contains(said, "doctor") || strings.Contains(said, "tool calls") {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// TestMetricsOfExtensions holds that a metric of an extension is in the report of each run, can be gated, and
// that one with a name of ours is a bug of the program.
func TestMetricsOfExtensions(t *testing.T) {
	ticks := agentworld.Metric{Name: "played", Version: "3", Unit: "ticks",
		Fold: func(records iter.Seq[agentworld.Record]) (n float64, counted bool) {
			for r := range records {
				if _, is := r.(trace.TickEnd); is {
					n++
				}
			}
			return n, true
		}}
	of := func(m agentworld.Metric, args ...string) (code int, p *inProcess) {
		p = newProcess(t, nil, args...)
		p.Extensions = []agentworld.Extension{{Name: "mine", Version: "7", Metrics: []agentworld.Metric{m}}}
		return p.run(t), p
	}
	run := []string{"minimal", "--ticks", "2", "--quiet", "--run-dir", "run", "--gate", "played>=3", "--gate", "played<=9"}
	if code, p := of(ticks, run...); code != exitGate || !strings.Contains(p.output(), "\nmetrics played 2 ticks\n") ||
		!strings.Contains(p.output(), "played is 2, and must be at least 3\n") {
		t.Errorf("exit code %d: %s", code, p.output())
	}
	ticks.Name = "score"
	if code, p := of(ticks, "scenarios", "list"); code != exitInternal || !strings.Contains(p.output(), "metric score: this program has") {
		t.Errorf("a metric with a name of ours: exit code %d: %s", code, p.output())
	}
}
