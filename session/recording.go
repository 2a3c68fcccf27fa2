package session

import (
	"fmt"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/run"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// RecordingError says that a recording cannot be read.
type RecordingError struct {
	Path string
	Err  error
}

// Error implements error.
func (e *RecordingError) Error() string {
	return fmt.Sprintf("the recording %s cannot be read: %v", e.Path, e.Err)
}

// Unwrap returns why.
func (e *RecordingError) Unwrap() error { return e.Err }

// answers decides who answers, a model, a recording or both, and completes the settings with it.
// Strictly no model takes part, so none of its settings is looked at: the model is the recorded one,
// as its name is part of every prompt. instead is what else the user of another model could do.
func answers(s *trace.Settings, r Recording, c access.Config, instead string) (
	a *access.Access, h trace.Header, err error) {
	if s.ModelSource == trace.SourceNone {
		return &access.Access{}, h, nil
	}
	if r.Path == "" {
		a, err = access.Choose(s, c)
		return a, h, err
	}
	a = &access.Access{}
	h, err = run.ReadRecording(r.Path, nil)
	if err != nil {
		return a, h, &RecordingError{r.Path, err}
	}
	if r.Ask {
		planned := s.Recording // of settings that are complete already
		a, err = access.Choose(s, c)
		asked := s.ModelSource
		if asked == trace.SourceMixed && planned != nil {
			asked = planned.Asked
		}
		s.Recording = engine.DescribeRecording(r.Path, h, asked)
		s.ModelSource = trace.SourceMixed
		return a, h, err
	}
	for key, text := range map[string]string{"llm.faults": s.Faults, "llm.stub_manner": s.StubManner} {
		if text != "" {
			return a, h, access.Refuse(key, "%s are for the scripted stub, and every answer is recorded; leave out one of "+
				"them, or use {run.replay_miss ask}", stubOnly[key])
		}
	}
	if s.Model != "" && s.Model != h.Settings.Model {
		return a, h, access.Refuse("llm.model", "model %s is not asked, as every answer is recorded, of the model %s; leave "+
			"it out"+instead, openai.Quoted(s.Model), openai.Quoted(h.Settings.Model))
	}
	s.Model = h.Settings.Model
	s.ModelSource = trace.SourceRecorded
	s.BaseURL = ""
	s.Recording = engine.DescribeRecording(r.Path, h, "")
	a, err = access.Choose(s, c)
	return a, h, err
}

// Changed is what a run with recorded answers does in another way than the run that they are of, so
// that its prompts may differ.
type Changed struct{ What, Recorded, Now string }

// RecordedOtherwise lists what differs between the run and the one whose answers it takes. It is no
// error: the first request that differs says more, and a change may come late.
func (s *Session) RecordedOtherwise() (list []Changed) {
	then, now := s.recorded.Settings, s.config.Settings
	for _, fact := range []Changed{
		{"scenario", then.Scenario, now.Scenario},
		{"seed", fmt.Sprint(then.Seed), fmt.Sprint(now.Seed)},
		{"drawing of instances", fmt.Sprint(then.Vary), fmt.Sprint(now.Vary)},
		{"number of agents", fmt.Sprint(len(s.recorded.Agents)), fmt.Sprint(len(s.agents))},
		{"model", then.Model, now.Model},
		{"protocol", then.Protocol, now.Protocol},
		{"prompt profile", then.PromptProfile, now.PromptProfile},
		{"prompt language", then.Language, now.Language},
	} {
		if fact.Recorded != fact.Now {
			list = append(list, fact)
		}
	}
	return list
}

// Strict reports whether every answer is recorded, so that no model is asked.
func (s *Session) Strict() bool { return s.config.ModelSource == trace.SourceRecorded }

// Answers counts the answers that were recorded and those that a model was asked for; both are 0
// without a recording.
func (s *Session) Answers() (recorded, asked int64) {
	if s.given == nil {
		return 0, 0
	}
	return s.given.Given(), s.given.Asked()
}

// reused counts again what the present faults spoilt; nil without faults.
func (s *Session) reused() func(r llmclient.Request, attempts int) {
	if s.faults.Empty() {
		return nil
	}
	return func(r llmclient.Request, attempts int) { s.scripted.Recount(r.Body(), attempts) }
}
