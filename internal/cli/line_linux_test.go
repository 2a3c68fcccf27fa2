package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// slowModel is a live model that thinks until it may answer.
type slowModel struct {
	*httptest.Server
	// asked gets a value for each request that came, may lets one be answered each.
	asked, may chan struct{}
	mu         sync.Mutex
	bodies     map[string]int
}

func newSlowModel(t *testing.T) *slowModel {
	model := stub.NewHandler(stub.Options{Seed: 1})
	m := &slowModel{asked: make(chan struct{}, 10_000), may: make(chan struct{}), bodies: map[string]int{}}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		m.mu.Lock()
		m.bodies[string(body)]++
		m.mu.Unlock()
		m.asked <- struct{}{}
		select {
		case <-m.may:
		case <-r.Context().Done():
			return
		case <-t.Context().Done():
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// requests is how many requests came, and how many of them came before.
func (m *slowModel) requests() (all, again int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.bodies {
		all, again = all+n, again+n-1
	}
	return all, again
}

// live are the arguments of a run with that model.
func (m *slowModel) live(args ...string) []string {
	return append(args, "--model", "slow", "--base-url", m.URL)
}

// colour is a sequence that begins or ends a colour of the summary.
var colour = regexp.MustCompile(`\x1b\[(?:0|1|3[1-3])m`)

// TestLineOnATerminal shows a tick whose only call lasts more than a second.
func TestLineOnATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{80, 40} {
		m := newSlowModel(t)
		p := onTerminal(t, t.TempDir(), columns, nil, m.live("minimal", "--ticks", "2", "--run-dir", "run", "--cap-calls", "500")...)
		<-m.asked
		p.waitFor(t, "LINEtick 1/2  [1-9][0-9]*s  1 call [1-9][0-9]*s  0/500 calls")
		p.resize(t, 24) // takes effect with the next drawing
		p.waitFor(t, "LINEtick 1/2  1 call [1-9][0-9]*sLINE")
		p.resize(t, columns)
		close(m.may)
		code, shown := p.end(t)
		if code != exitCompleted {
			t.Errorf("exit code %d:\n%s", code, shown)
		}
		for _, drawing := range strings.Split(shown, terminal.LineStart)[1:] {
			line, rest, ended := strings.Cut(drawing, "\n")
			if plaintext.Cells(line) >= int(columns) {
				t.Errorf("%d columns: the line %q", columns, line)
			}
			if ended && !strings.Contains(rest, "The one goal was not met in 2 ticks; ") {
				t.Errorf("after the line: %q", rest)
			}
		}
		shown = colour.ReplaceAllString(shown, "")
		if strings.Count(shown, "\x1b") != strings.Count(shown, terminal.LineStart) {
			t.Errorf("other sequences than that of the line: %q", shown)
		}
	}
}

// TestPlainTerminals get lines and no sequence.
func TestPlainTerminals(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"TERM=dumb", "NO_COLOR=1"} {
		p := onTerminal(t, t.TempDir(), 40, []string{env}, "minimal", "--ticks", "3", "--run-dir", "run")
		code, shown := p.end(t)
		if code != exitCompleted || strings.Contains(shown, "\x1b") || strings.Count(shown, "\ntick ") != 3 {
			t.Errorf("%s: exit code %d, %q", env, code, shown)
		}
	}
}

// TestCtrlC interrupts a run while its model thinks, and resumes it as it advises. Once lets the call be
// answered: it is recorded and not made again. Twice breaks it off.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	for _, twice := range []bool{false, true} {
		m, dir := newSlowModel(t), t.TempDir()
		p := onTerminal(t, dir, 80, nil, m.live("llm_bootstrap", "--ticks", "2", "--run-dir", "run", "--concurrency", "1")...)
		<-m.asked
		m.may <- struct{}{}
		<-m.asked // the call of the second agent
		p.waitFor(t, "LINEtick 1/2")
		p.press(t, ctrlC)
		shown := p.waitFor(t, "LINEstopping  tick 1/2")
		if !strings.Contains(shown, terminal.LineStart+"interrupted: ") || !saysDrain.MatchString(shown) {
			t.Errorf("%s is not in %q", saysDrain, shown)
		}
		if twice {
			p.press(t, ctrlC)
			p.waitFor(t, "LINEinterrupted again: 1 call broken off, its answer is lost")
		} else {
			m.may <- struct{}{}
		}
		code, shown := p.end(t)
		said, advice, _ := strings.Cut(shown, "\nnext: "+programName+" ")
		advice, _, _ = strings.Cut(advice, "#")
		if code != exitInterrupted || !strings.HasSuffix(said, ": interrupted after 0 of 2 ticks: the run was asked to stop") || !strings.Contains(shown, "The run was stopped by its user, after 0 of 2 ticks; ") {
			t.Errorf("twice %t: exit code %d:\n%s", twice, code, shown)
		}
		if all, _ := m.requests(); all != 2 {
			t.Errorf("twice %t: %d requests, want no further one", twice, all)
		}
		if _, err := os.Stat(filepath.Join(dir, "run", run.ReportFile)); err != nil {
			t.Error(err)
		}
		if _, shown := onTerminal(t, dir, 80, nil, "inspect", "run").end(t); !twice && !strings.Contains(shown, "\ncalls      0 in whole ticks, 0 failed\n") {
			t.Errorf("of the open tick:\n%s", shown)
		}
		close(m.may)
		again := onTerminal(t, dir, 80, nil, strings.Fields(advice)...)
		if code, shown := again.end(t); code != exitCompleted {
			t.Errorf("twice %t: the resume ends with %d:\n%s", twice, code, shown)
		}
		if _, again := m.requests(); again != map[bool]int{false: 0, true: 1}[twice] {
			t.Errorf("twice %t: %d requests came again", twice, again)
		}
		for _, command := range [][]string{{"replay", "run"}, {"trace", "verify", "run"}} {
			if code, shown := onTerminal(t, dir, 80, nil, command...).end(t); code != exitCompleted {
				t.Errorf("%v: exit code %d:\n%s", command, code, shown)
			}
		}
	}
}

// TestTimelineFitsATerminal: on a terminal the lines of a timeline have its width, in a pipe they
// are whole.
func TestTimelineFitsATerminal(t *testing.T) {
	p := lentCharge(t)
	table := func(text string) []string {
		_, text, _ = strings.Cut(text, "\n\n")
		text, _, _ = strings.Cut(text, "\n\n")
		return strings.Split(text, "\n")
	}
	whole := table(p.played(t, "explain", "RUN", "--agent", "agent-1"))
	for _, columns := range []int{30, 50, 200} {
		_, shown := onTerminal(t, p.dir, uint16(columns), nil, "explain", "RUN", "--agent", "agent-1").end(t)
		if title, _, _ := strings.Cut(shown, "\n"); plaintext.Cells(title) > columns {
			t.Errorf("the title has %d of %d columns: %s", plaintext.Cells(title), columns, title)
		}
		lines := table(shown)
		if columns == 200 && !slices.Equal(lines, whole) {
			t.Errorf("%d columns:\n%s\nin a pipe:\n%s", columns, strings.Join(lines, "\n"), strings.Join(whole, "\n"))
		}
		cut := 0
		for _, line := range lines {
			if n := plaintext.Cells(line); n > columns {
				t.Errorf("%d of %d columns: %s", n, columns, line)
			} else if n == columns && strings.HasSuffix(line, plaintext.Ellipsis) {
				cut++
			}
		}
		if len(lines) != len(whole) || columns < 100 && cut == 0 {
			t.Errorf("%d columns: %d of %d lines, %d cut", columns, len(lines), len(whole), cut)
		}
	}
}

// TestCtrlCOfBatches interrupts a batch and a worker while the model thinks, and plays on. Once lets the
// call be answered, and no cell or call begins; twice breaks it off. What was answered is not asked again.
func TestCtrlCOfBatches(t *testing.T) {
	slow(t)
	for _, c := range []struct{ worker, twice bool }{{false, false}, {false, true}, {true, false}} {
		t.Run(fmt.Sprintf("worker %t, twice %t", c.worker, c.twice), func(t *testing.T) {
			t.Parallel()
			m, dir := newSlowModel(t), t.TempDir()
			text := fmt.Sprintf("name = \"b\"\nscenarios = [\"minimal\", \"two_bases\"]\n[settings.run]\nticks = 2\nchain_steps = 0\nconcurrency = 1\n[settings.llm]\nmodel = \"slow\"\nbase_url = %q\n", m.URL)
			if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			command := []string{"batch", "run", "b.toml", "--dir", "d"}
			if c.worker {
				_, url := coordinating(t, dir)
				command = []string{"worker", "--nats", url, "--nats-nkey", "d/jetstream.nkey", "--until-done"}
			}
			p := onTerminal(t, dir, 80, nil, command...)
			<-m.asked
			m.may <- struct{}{}
			<-m.asked
			p.press(t, ctrlC)
			if shown := p.waitFor(t, "Ctrl-C again breaks off"); !saysDrain.MatchString(shown) {
				t.Errorf("%s is not in %q", saysDrain, shown)
			}
			if c.twice {
				p.press(t, ctrlC)
				p.waitFor(t, "interrupted again: 1 call broken off, its answer is lost")
			} else {
				m.may <- struct{}{}
			}
			if code, shown := p.end(t); code != exitInterrupted {
				t.Errorf("exit code %d:\n%s", code, shown)
			}
			if all, _ := m.requests(); all != 2 {
				t.Errorf("%d requests, want no further one", all)
			}
			close(m.may)
			if code, shown := onTerminal(t, dir, 80, nil, command...).end(t); code != exitCompleted {
				t.Errorf("played on: exit code %d:\n%s", code, shown)
			}
			if _, again := m.requests(); again != map[bool]int{false: 0, true: 1}[c.twice] {
				t.Errorf("%d requests came again", again)
			}
		})
	}
}
