package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/agentworld/engine"
	"example.com/agentworld/explain"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// The values of --replay-miss.
const (
	// missError ends the run at the first request that has no recorded answer.
	missError = "error"
	// missAsk asks the model instead.
	missAsk = "ask"
)

// recording is where a run takes answers from; the zero value is none.
type recording struct {
	// path is as the user wrote it.
	path   string
	header trace.Header
}

// chooseAnswers decides who answers, a model, a recording or both, and completes the
// settings with it. The error is bad input: there is no recording, or it cannot be read.
func (m *Main) chooseAnswers(c *config) (recording, error) {
	v := c.Values.Find("run.replay_from")
	if v.Text == "" {
		if miss := c.Values.Find("run.replay_miss"); miss.Origin.Rank < settings.FromFile {
			return recording{}, badInput(
				"%s says what to do without a recorded answer, and there is no recording; add --replay-from", miss.Where())
		}
		return recording{}, c.chooseModel()
	}
	path, err := m.runNamed(v.Text)
	if err != nil {
		return recording{}, err
	}
	h, err := run.ReadRecording(m.path(path), nil)
	if err != nil {
		return recording{}, badInput(
			"%s: %s cannot be replayed from: %v; allowed: a run directory, %s, or a file of answers", v.Where(), shown(path),
			cause(err), latestRun)
	}
	strict := c.ReplayMiss == missError
	for key, what := range stubOnly {
		if v := c.Values.Find(key); strict && v.Text != "" {
			return recording{}, badInput(
				"%s: %s are for the scripted stub, and every answer is recorded; leave out one of them, or use --replay-miss %s",
				v.Where(), what, missAsk)
		}
	}
	r := recording{path, h}
	return r, c.answerFrom(r, strict, ", or use --replay-miss "+missAsk)
}

// chooseAnswersAgain is chooseAnswers for a run that is resumed. Its model, endpoint and
// recording are the recorded ones, or what a flag says. The other places for settings apply
// only to new runs, apart from those of the key, which goes to no endpoint that only the run
// names. The caller that claims a run reports that it cannot be read.
func (m *Main) chooseAnswersAgain(runDir string, c *config) (recording, error) {
	h, _ := m.source(runDir).Header()
	own := slices.Clone(c.Values)
	c.trusts = m.trusted(own)
	if c.takeModel(h.Latest(), lastEndpoint(m.source(runDir))) {
		m.withholdKey(c, own)
	}
	v := c.Values.Find("run.replay_from")
	path := ""
	recorded := h.Latest().Recording
	if h.Timing != nil {
		path = h.Timing.RecordingPath
	}
	if v.Origin.Rank == settings.FromFlag && v.Text != "" {
		path = v.Text
	} else if recorded == nil {
		return recording{}, c.chooseModel()
	}
	again, err := run.ReadRecording(m.path(path), nil)
	if err != nil {
		return recording{}, badInput(
			"%s takes its answers from the recording %s, which cannot be read: %v; allowed: --replay-from with the place "+
				"where it is now",
			shown(runDir), shown(path), cause(err))
	}
	r := recording{path, again}
	return r, c.answerFrom(r, recorded != nil && recorded.Asked == "", "")
}

// takeModel takes model and endpoint from the settings of a run, where no flag says otherwise.
// It reports whether the run asks a live model. moved is the endpoint that a resume of it named
// last, empty for none.
func (c *config) takeModel(s trace.Settings, moved string) (live bool) {
	model, endpoint := s.Model, cmp.Or(moved, s.BaseURL)
	live = s.Live() && !c.Offline
	if !live {
		model, endpoint = "", ""
	}
	for key, text := range map[string]string{"llm.model": model, "llm.base_url": endpoint} {
		at := slices.IndexFunc(c.Values, func(v settings.Value) bool { return v.Setting.Key == key })
		v := c.Values[at]
		if v.Origin.Rank == settings.FromFlag {
			continue
		}
		if url, err := openai.ParseBaseURL(v.Text); err == nil && text != "" && knownEndpoint(url, "") == text {
			continue // with its query, which is not recorded
		}
		c.Values[at] = settings.Value{Setting: v.Setting, Text: text, Origin: settings.Origin{Rank: settings.FromRun}}
		*v.Setting.Into(&c.Config).(*string) = text
	}
	return live
}

// lastEndpoint is the endpoint that the last resume of a run recorded, empty for none. What keeps the run
// from being read is reported by whoever claims it.
func lastEndpoint(of run.Source) (url string) {
	for record := range explain.Records(of, nil, 0, trace.TypeResume) {
		if r, is := record.(trace.Resume); is {
			url = r.BaseURL
		}
	}
	return url
}

// answerFrom completes the settings of a run with recorded answers. Strictly no model
// takes part, so none of its settings is looked at: the model is the recorded one, as its
// name is part of every prompt. Another model that was named for this run is refused, since
// the user expects its answers. One named elsewhere is for other runs. instead is what else
// the user could do.
func (c *config) answerFrom(r recording, strict bool, instead string) error {
	if !strict {
		err := c.chooseModel()
		c.Recording = engine.DescribeRecording(r.path, r.header, c.ModelSource)
		c.ModelSource = trace.SourceMixed
		return err
	}
	model := r.header.Settings.Model
	if v := c.Values.Find("llm.model"); v.Origin.Rank == settings.FromFlag && v.Text != model {
		return badInput("%s: model %s is not asked, as every answer is recorded, of the model %s; leave it out%s", v.Where(),
			shown(v.Text), shown(model), instead)
	}
	c.Model = model
	c.ModelSource = trace.SourceRecorded
	c.BaseURL = ""
	c.Recording = engine.DescribeRecording(r.path, r.header, "")
	return nil
}

// openAnswers makes the source of all answers and announces it. With a recording
// alone it starts no server and no client. stop releases what was opened and prints
// how many answers were recorded. It is nil only if there is an error.
func (m *Main) openAnswers(ctx context.Context, p plan, scripted stub.Options, calls string) (source engine.Source,
	stop func(), err error) {
	if p.recording.path == "" {
		return m.openModel(ctx, p, scripted, calls)
	}
	stop = func() {}
	miss := "the model is asked"
	if p.strict() {
		miss = "the run ends; no model is asked"
	}
	plaintext.Fprintf(m.Stderr, "answers: recorded in %s; without one %s\n", p.recording.path, miss)
	// Settings that cannot lead to the recorded prompts are no error: the first request that
	// differs says more, and a change may come late.
	h := p.recording.header
	for _, fact := range []struct{ what, recorded, now string }{
		{"scenario", h.Settings.Scenario, p.Scenario},
		{"seed", fmt.Sprint(h.Settings.Seed), fmt.Sprint(p.Seed)},
		{"drawing of instances", fmt.Sprint(h.Settings.Vary), fmt.Sprint(p.Vary)},
		{"number of agents", fmt.Sprint(len(h.Agents)), fmt.Sprint(len(p.agentIDs))},
		{"model", h.Settings.Model, p.Model},
		{"protocol", h.Settings.Protocol, p.Protocol},
		{"prompt profile", h.Settings.PromptProfile, p.PromptProfile},
		{"prompt language", h.Settings.Language, p.Language},
	} {
		if fact.recorded != fact.now {
			plaintext.Fprintf(m.Stderr, "note: %s was %s when the answers were recorded and is %s now\n", fact.what,
				fact.recorded, fact.now)
		}
	}
	if !p.strict() {
		source, stop, err = m.openModel(ctx, p, scripted, calls)
		if err != nil {
			return nil, nil, err
		}
	}
	recorded, err := engine.OpenRecorded(m.path(p.recording.path), source)
	if err != nil {
		stop()
		return nil, nil, badInput("%s cannot be replayed from: %w", shown(p.recording.path), cause(err))
	}
	closeModel := stop
	return recorded, func() {
		plaintext.Fprintf(m.Stderr, "answers: %d recorded, %d asked\n", recorded.Given(), recorded.Asked())
		_ = recorded.Close()
		closeModel()
	}, nil
}
