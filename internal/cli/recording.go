package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/stub"
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

// chosenRecording is the recording a run takes answers from; the zero value is none.
type chosenRecording struct {
	// path is as the user wrote it, place the same from the root.
	path, place string
	header      trace.Header
	// strict says that no model is asked.
	strict bool
}

// chooseRecording reads the head of the recording that the settings name. The error
// is bad input: there is none, or it cannot be read.
func (m *Main) chooseRecording(c config, values []value) (chosenRecording, error) {
	v := find(values, "run.replay_from")
	if v.text == "" {
		if miss := find(values, "run.replay_miss"); miss.origin.rank < fromFile {
			return chosenRecording{}, badInput("%s says what to do without a recorded answer, and there is no recording; add --replay-from", miss.where())
		}
		return chosenRecording{}, nil
	}
	h, err := run.ReadRecording(m.path(v.text))
	if err != nil {
		return chosenRecording{}, badInput("%s: %s cannot be replayed from: %v; allowed: a run directory or a file of answers", v.where(), shown(v.text), err)
	}
	return chosenRecording{path: v.text, place: m.path(v.text), header: h, strict: c.ReplayMiss == missError}, nil
}

// chooseRecordingAgain finds the recording of a run that is gone on with: where it was
// or, when a flag says so, where it is now. Other places for settings are about new
// runs. h is the run's header.
func (m *Main) chooseRecordingAgain(runDir string, h trace.Header, values []value) (chosenRecording, error) {
	v, path, recorded := find(values, "run.replay_from"), "", h.Latest().Recording
	if h.Timing != nil {
		path = h.Timing.RecordingPath
	}
	if v.origin.rank == fromFlag {
		path = v.text
	} else if recorded == nil {
		return chosenRecording{}, nil
	}
	again, err := run.ReadRecording(m.path(path))
	if err != nil {
		return chosenRecording{}, badInput("%s takes its answers from the recording %s, which cannot be read: %v; allowed: --replay-from with the place where it is now",
			shown(runDir), shown(path), err)
	}
	return chosenRecording{path: path, header: again, strict: recorded != nil && recorded.Asked == ""}, nil
}

// chooseAnswersAgain is chooseAnswers for a run that is gone on with. A run that cannot
// be read is left to whoever claims it, to say so.
func (m *Main) chooseAnswersAgain(runDir string, c config, values []value) (modelAccess, chosenRecording, error) {
	h, _ := run.Dir(m.path(runDir)).Header()
	recording, err := m.chooseRecordingAgain(runDir, h, values)
	if err == nil && recording.strict {
		err = recording.checkModel(values, "")
	}
	if err != nil || recording.strict {
		return modelAccess{model: recording.header.Settings.Model}, recording, err
	}
	access, err := chooseModel(c, values)
	return access, recording, err
}

// chooseAnswers decides who answers: a model, a recording, or both. Without a miss
// that may be asked no model takes part, so none of its settings is looked at: the
// model is the recorded one, as its name is part of every prompt.
func (m *Main) chooseAnswers(c config, values []value) (modelAccess, chosenRecording, error) {
	recording, err := m.chooseRecording(c, values)
	if err != nil {
		return modelAccess{}, recording, err
	}
	if recording.strict {
		if faults := find(values, "llm.faults"); faults.text != "" {
			return modelAccess{}, recording, badInput("%s: faults are for the scripted stub, and every answer is recorded; leave out one of them, or use --replay-miss %s", faults.where(), missAsk)
		}
		return modelAccess{model: recording.header.Settings.Model}, recording, recording.checkModel(values, ", or use --replay-miss "+missAsk)
	}
	access, err := chooseModel(c, values)
	return access, recording, err
}

// checkModel refuses a model that was named for this very run and is not the recorded
// one: who names it expects its answers. One named elsewhere is for other runs. instead
// is what else could be done.
func (r chosenRecording) checkModel(values []value, instead string) error {
	v := find(values, "llm.model")
	if v.origin.rank != fromFlag || v.text == r.header.Settings.Model {
		return nil
	}
	return badInput("%s: model %s is not asked, as every answer is recorded, of the model %s; leave it out%s", v.where(), shown(v.text), shown(r.header.Settings.Model), instead)
}

// chooseAgentAnswers is chooseAgents, with a recording: where no model is asked, the
// agents' models are the recorded ones too.
func (m *Main) chooseAgentAnswers(access modelAccess, recording chosenRecording, models []trace.AgentModel, where string, agents []string) ([]agentAccess, error) {
	if !recording.strict {
		return m.chooseAgents(access, models, where, agents)
	}
	var own []agentAccess
	for _, a := range recording.header.Settings.AgentModels {
		if a.Model != "" && slices.Contains(agents, a.Agent) {
			own = append(own, agentAccess{AgentModel: trace.AgentModel{Agent: a.Agent, Model: a.Model}})
		}
	}
	return own, nil
}

// source is what stands behind answers of the recording, if there is one, and the model.
func (r chosenRecording) source(model modelAccess) trace.ModelSource {
	switch {
	case r.strict:
		return trace.SourceRecorded
	case r.path != "":
		return trace.SourceMixed
	}
	return model.source()
}

// endpoint is what is asked beside the recording, as the trace names it; empty where
// nothing is.
func (r chosenRecording) endpoint(model modelAccess) string {
	if r.strict {
		return ""
	}
	return model.recordedURL()
}

// openAnswers makes the source of all answers and says aloud what it is. With a
// recording alone nothing is started and nothing can be reached. stop releases what
// was opened; it is nil only beside an error. given tells at the end how many answers
// were recorded.
func (m *Main) openAnswers(ctx context.Context, p plan, faults *stub.Injector, calls callRange) (source engine.Source, given func(), stop func(), err error) {
	given = func() {}
	if p.recording.path == "" {
		source, stop, err = m.openModel(ctx, p, faults, calls)
		return source, given, stop, err
	}
	stop = func() {}
	fmt.Fprintf(m.Stderr, "answers: recorded in %s; without one %s\n", oneLine(p.recording.path), p.recording.missText())
	p.announceDifferences(m.Stderr)
	if !p.recording.strict {
		if source, stop, err = m.openModel(ctx, p, faults, calls); err != nil {
			return nil, nil, nil, err
		}
	}
	recorded, err := engine.OpenRecorded(m.path(p.recording.path), source)
	if err != nil {
		stop()
		return nil, nil, nil, badInput("%s cannot be replayed from: %w", shown(p.recording.path), err)
	}
	given = func() {
		fmt.Fprintf(m.Stderr, "answers: %d recorded, %d asked\n", recorded.Given(), recorded.Asked())
	}
	closeModel := stop
	return recorded, given, func() { _ = recorded.Close(); closeModel() }, nil
}

// describe is the recording for the trace's header, nil without one. asked is what
// stands behind the model, if one is asked.
func (r chosenRecording) describe(asked trace.ModelSource) *trace.Recording {
	if r.path == "" {
		return nil
	}
	if r.strict {
		asked = ""
	}
	return engine.DescribeRecording(r.path, r.header, asked)
}

// missText says what a request without a recorded answer comes to.
func (r chosenRecording) missText() string {
	if r.strict {
		return "the run ends; no model is asked"
	}
	return "the model is asked"
}

// announceDifferences says which settings cannot lead to the recorded prompts. They
// are no error: the first request tells more, and a change may come late.
func (p plan) announceDifferences(w io.Writer) {
	s := p.recording.header.Settings
	for _, fact := range []struct{ what, recorded, now string }{
		{"scenario", s.Scenario, p.Scenario},
		{"seed", fmt.Sprint(s.Seed), fmt.Sprint(p.Seed)},
		{"number of agents", fmt.Sprint(len(p.recording.header.Agents)), fmt.Sprint(len(p.agentIDs))},
		{"model", s.Model, p.Model},
		{"protocol", s.Protocol, p.Protocol},
		{"prompt profile", s.PromptProfile, p.PromptProfile},
		{"prompt language", s.Language, p.Language},
	} {
		if fact.recorded != fact.now {
			fmt.Fprintf(w, "note: %s was %s when the answers were recorded and is %s now\n", fact.what, oneLine(fact.recorded), oneLine(fact.now))
		}
	}
}

// missHint says what to do about a request without a recorded answer.
func missHint(runDir string) string {
	return strings.Join([]string{
		"the prompt is in " + shown(runDir) + " (explain)",
		"if the change is meant, record a new run",
		"or use --replay-miss " + missAsk,
	}, "; ")
}

// damageHint says what to do about a recording that cannot be read on. Asking a model in
// place of what is lost is a choice with a price, and not made here.
func (p plan) damageHint() string {
	return fmt.Sprintf("nothing was asked from there on; resume %s --replay-from PLACE goes on with a whole copy of %s",
		oneLine(p.RunDir), shown(p.recording.path))
}
