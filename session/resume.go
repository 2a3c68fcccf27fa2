package session

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// Continued says how a run goes on.
type Continued struct {
	// UntilTick is the last tick to run; 0 is the last one the run was ever asked for.
	UntilTick int64
	// AllowVersionDrift continues also a run of another version.
	AllowVersionDrift bool
	// AbandonTick ends the open turns of the unfinished tick, so that other caps can hold from the
	// next one on.
	AbandonTick bool
	// Caps, when set, returns the caps that are to hold, given those that do.
	Caps func(trace.Caps) trace.Caps
	// Seats replace those of the run, and "model" entries give agents back to their model. They are
	// recorded. A run that names a seat which is not there, or of another version, needs one in its place.
	Seats []trace.AgentSeat
	// Planned says that the run has to be the one of the settings of [Config], all of them: a run
	// directory may come from elsewhere.
	Planned bool
}

// ErrOtherSettings says that a run directory is not that of the settings.
var ErrOtherSettings = errors.New("the run in the directory has other settings than its cell")

// Resume claims the run in the directory and finds out where it stopped. Settings are recorded with
// the run. Those of [Config] name the model and the endpoint where they are to be others, and nothing
// else: the endpoint of the same model may have moved, another model is refused with
// [engine.ErrOtherModel]. The recording of Config, too, is where that of the run is now.
//
// The error is one of [New] or of [engine.PrepareResume]. The session has to be closed.
func Resume(c Config, how Continued) (*Session, error) {
	s := &Session{config: c, access: &access.Access{}}
	err := s.resume(how)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Session) resume(how Continued) error {
	c := s.config
	if err := c.Metrics.Check(); err != nil {
		return err
	}
	header, _ := c.source(c.Dir).Header() // the claim of the run reports why it cannot be read
	asked := c.Settings
	if !how.Planned {
		whole, _ := c.source(c.Dir).Outline()
		asked = asAsked(c, header.Latest(), whole)
		asked.Recording = nil
	}
	for _, a := range header.Agents {
		s.agents = append(s.agents, a.ID)
	}
	if header.Latest().ModelSource == trace.SourceNone {
		withoutModel(&asked)
	}
	recording := s.recordingOf(header)
	var unreachable error
	s.access, s.recorded, unreachable = answers(&asked, recording, s.config.reach(), "")
	if unreachable != nil && !errors.Is(unreachable, access.ErrNoKey) {
		return unreachable
	}
	s.config.Recording = recording
	resumed, err := engine.PrepareResume(c.Dir, engine.ResumeOptions{
		UntilTick: how.UntilTick, AllowVersionDrift: how.AllowVersionDrift, AbandonTick: how.AbandonTick, Caps: how.Caps,
		Leased: c.Leased, Model: asked.Model, ModelSource: asked.ModelSource, BaseURL: asked.BaseURL,
		Recording: asked.Recording, Reading: c.how(c.Dir),
	})
	if err != nil {
		return err
	}
	s.resumed = resumed
	if !resumed.Complete() {
		seats, err := s.resumeSeats(resumed.Seats(), how.Seats)
		if err == nil {
			err = resumed.Reseat(seats)
		}
		if err != nil {
			return err
		}
	}
	if unreachable != nil {
		return unreachable // only now: another model is refused with or without a key
	}
	recorded := resumed.Settings()
	if how.Planned {
		recorded.Estimate = c.Estimate
		if string(llmclient.Marshal(recorded)) != string(llmclient.Marshal(c.Settings)) {
			return ErrOtherSettings
		}
	}
	if size := resumed.State.SegmentBytes; size != nil && c.SegmentBytes < 0 {
		s.config.SegmentBytes = *size
	}
	s.config.SegmentBytes = max(0, s.config.SegmentBytes)
	s.config.Settings = recorded
	if e := recorded.Estimate; e != nil { // was made for all ticks that the run was asked for
		s.config.Estimate = left(*e, resumed)
	}
	s.access.Serve(recorded)
	if !s.Complete() {
		if err := s.chooseTools(nil); err != nil {
			return err
		}
	}
	if err := s.chooseFaults(); err != nil {
		return err
	}
	list := recorded
	return s.access.ChooseAgents(&list, "agents", s.agents)
}

// asAsked are the settings by which the model of a run is found again, which a caller may have named
// anew.
func asAsked(c Config, recorded trace.Settings, whole *state.State) trace.Settings {
	moved := ""
	if whole != nil {
		moved = whole.Endpoint
	}
	model, endpoint := "", ""
	if recorded.Live() && !c.Access.Offline {
		model, endpoint = recorded.Model, cmp.Or(moved, recorded.BaseURL)
	}
	asked := trace.Settings{Model: cmp.Or(c.Model, model), BaseURL: cmp.Or(c.BaseURL, endpoint)}
	asked.TimeoutMS, asked.ContextWindowTokens = recorded.TimeoutMS, recorded.ContextWindowTokens
	return asked
}

// recordingOf is where the answers of a run are that takes recorded ones.
func (s *Session) recordingOf(h trace.Header) Recording {
	recorded, path := h.Latest().Recording, s.config.Recording.Path
	if recorded == nil && path == "" {
		return Recording{}
	}
	if path == "" && h.Timing != nil {
		path = h.Timing.RecordingPath
	}
	return Recording{Path: path, Ask: recorded == nil || recorded.Asked != ""}
}

// left is the part of an estimate that a resume has before it.
func left(e trace.Estimate, s *engine.Resumption) *trace.Estimate {
	h, until := s.State.Header, s.Settings().Ticks
	asked := h.SettingsAt(until).Ticks
	if n := len(h.Forks); n > 0 {
		asked -= h.Forks[n-1].Tick
	}
	part := engine.EstimateOf(e, until-s.State.Tick, asked)
	return &part
}

// Complete reports that nothing is left to do: the run has its last tick, and says how it ended.
func (s *Session) Complete() bool { return s.resumed != nil && s.resumed.Complete() }

// State is that of a run that is resumed as it was found, nil for any other.
func (s *Session) State() *state.State {
	if s.resumed == nil {
		return nil
	}
	return s.resumed.State
}

// CapsBefore are the caps of a run that is resumed as they were, and the tick from which others hold,
// 0 for none.
func (s *Session) CapsBefore() (caps trace.Caps, from int64) { return s.resumed.CapsBefore() }

// Reseated are the seats of a run that is resumed that were others before.
func (s *Session) Reseated() []trace.AgentSeat {
	before := s.resumed.State.SeatsAt(s.resumed.State.Tick + 1)
	return slices.DeleteFunc(slices.Clone(s.resumed.Seats()), func(now trace.AgentSeat) bool {
		return slices.Contains(before, now)
	})
}

// CapsWanted are the caps that the run is to have, whether or not a tick is left that they bound.
func (s *Session) CapsWanted() trace.Caps { return s.resumed.CapsWanted() }

// ended is the result of a run that was complete before.
func (s *Session) ended(ctx context.Context) (Result, error) {
	r, err := s.config.Metrics.Report(ctx, s.config.source(s.config.Dir))
	if err != nil {
		return Result{}, err
	}
	end := s.resumed.State.End
	return Result{Report: r, Result: engine.Result{Status: end.RunStatus, Reason: end.Reason, TicksDone: end.TicksDone,
		FinalDigest: end.FinalDigest, Head: trace.Chain(r.Timing.TraceHead)}}, nil
}
