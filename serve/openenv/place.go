package openenv

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"example.com/agentworld/serve"
)

// place is a client's place: at most one episode at a time. Its methods may be called by several goroutines,
// one after the other.
type place struct {
	server *Server
	// ctx ends the place, and the run of its episode.
	ctx    context.Context
	cancel context.CancelFunc

	mu sync.Mutex
	// brief says that it is for one request: its episodes are not told of, and no run of them is kept.
	brief bool
	// episode is nil before the first reset; dir is where its run goes.
	episode *episode
	dir     string
}

// sit takes one of the places of the server. It is nil if none is free.
func (s *Server) sit() *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active >= s.options.Sessions || s.ctx.Err() != nil {
		return nil
	}
	s.active++
	s.places.Add(1)
	p := &place{server: s}
	p.ctx, p.cancel = context.WithCancel(s.ctx)
	return p
}

// full is the problem of a server without a free place.
func (s *Server) full() *problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &problem{Code: codeCapacity, Message: "all sessions are taken", Active: s.active, Most: s.options.Sessions,
		closes: true}
}

// leave ends the place with its episode.
func (p *place) leave() {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	s := p.server
	s.mu.Lock()
	s.active--
	s.mu.Unlock()
	s.places.Done()
}

// end ends the episode, if there is one.
func (p *place) end() {
	if p.episode == nil {
		return
	}
	outcome := p.episode.close()
	p.episode = nil
	if p.brief {
		p.server.archive.drop(p.dir)
	} else {
		p.server.archive.take(outcome, p.dir)
	}
}

// reset ends the episode and begins another one.
func (p *place) reset(data json.RawMessage) (Step, *problem) {
	r, wrong := readReset(data)
	if wrong != nil {
		return Step{}, wrong
	}
	i, err := p.server.task.choose(r)
	if err != nil {
		return Step{}, invalid("data", err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	b := begun{instance: i, most: p.server.options.Deadline, turn: p.server.options.turn}
	b.dir, err = p.server.archive.reserve(i)
	if err == nil {
		b.id = idOf(r, b.dir)
		p.dir = b.dir
		p.episode, err = p.server.task.begin(p.ctx, b)
	}
	if err != nil {
		p.server.archive.drop(b.dir)
		return Step{}, &problem{Code: codeFactory, Message: clip("the world cannot be made: " + serve.Pathless(err.Error())),
			Factory: p.server.task.of.ID, closes: true}
	}
	return p.episode.seen(nil), nil
}

// step makes the move of a client: an action, or a call of a tool.
func (p *place) step(data json.RawMessage) (Step, *problem) {
	var call toolStep
	if json.Unmarshal(data, &call) == nil && call.isCall() {
		return p.stepTool(call)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.episode == nil {
		return Step{}, noEpisode
	}
	if len(data) == 0 {
		return Step{}, invalid("data", "a step has an action")
	}
	return p.told(p.episode.step(data))
}

// told is what a client gets for a step. An episode that broke off has no outcome: a trainer must not learn from it
// as from one that came to its end.
func (p *place) told(s Step) (Step, *problem) {
	why := p.episode.broke()
	if !s.Done || why == "" {
		return s, nil
	}
	tick, _ := p.episode.fold.reached()
	return Step{}, &problem{Code: codeExecution, Message: clip(fmt.Sprintf(
		"the episode broke off after tick %d, by no move of the client: %s; reset begins another one", tick, why))}
}

// noEpisode is the problem of a step before the first reset.
var noEpisode = &problem{Code: codeExecution, Message: "there is no episode: reset begins one"}

// state says where the episode is.
func (p *place) state() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.episode == nil {
		return State{Agent: p.server.task.agent, Ticks: p.server.task.of.Task.Ticks}
	}
	return p.episode.state()
}

// observe is the present observation.
func (p *place) observe() (Step, *problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.episode == nil {
		return Step{}, noEpisode
	}
	return p.told(p.episode.seen(nil))
}

// idOf is the id that a client gave its episode, or that of its run.
func idOf(r resetRequest, dir string) string {
	if r.EpisodeID != nil && *r.EpisodeID != "" {
		return *r.EpisodeID
	}
	return filepath.Base(dir)
}
