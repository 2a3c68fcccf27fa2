package openenv

import (
	"crypto/rand"
	"sync"
	"time"
)

// guests are the places that clients have without a connection, by the ids that let them in.
type guests struct {
	mu    sync.Mutex
	seats map[string]*guest
}

// guest is a place that ends when nobody asks for it any more.
type guest struct {
	place *place
	quiet *time.Timer
}

// create takes a place and begins an episode in it.
func (g *guests) create(s *Server) (id string, wrong *problem) {
	p := s.sit()
	if p == nil {
		return "", s.full()
	}
	if _, wrong := p.reset(nil); wrong != nil {
		p.leave()
		return "", wrong
	}
	id = rand.Text()
	g.mu.Lock()
	g.seats[id] = &guest{p, time.AfterFunc(s.options.Idle, func() { g.close(id) })}
	g.mu.Unlock()
	if s.ctx.Err() != nil { // the server ended meanwhile, perhaps without seeing it
		g.close(id)
	}
	return id, nil
}

// find is the place of an id, nil if there is none.
func (g *guests) find(id string) *place {
	g.mu.Lock()
	defer g.mu.Unlock()
	guest := g.seats[id]
	if guest == nil {
		return nil
	}
	guest.quiet.Reset(guest.place.server.options.Idle)
	return guest.place
}

// close ends the place of an id, and reports whether there was one.
func (g *guests) close(id string) bool {
	g.mu.Lock()
	guest := g.seats[id]
	delete(g.seats, id)
	g.mu.Unlock()
	if guest == nil {
		return false
	}
	guest.quiet.Stop()
	guest.place.leave()
	return true
}

// closeAll ends all of them.
func (g *guests) closeAll() {
	g.mu.Lock()
	ids := make([]string, 0, len(g.seats))
	for id := range g.seats {
		ids = append(ids, id)
	}
	g.mu.Unlock()
	for _, id := range ids {
		g.close(id)
	}
}
