package guardlab

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Search looks for trials that do harm. It is also its own state: a Search read back from
// JSON continues where it stopped, with the same finds as an uninterrupted one.
type Search struct {
	// Seed is what all trials are drawn from, Next the number of the next one.
	Seed uint64 `json:"seed"`
	Next int    `json:"next_trial"`
	// Finds are the first trials that did each kind of harm, Harmful counts all of them.
	Finds   []Find `json:"finds"`
	Harmful int    `json:"harmful"`
	// Pool are the trials closest to each kind of harm, closest first. Two of eight trials are
	// mutations of them, four of those with the rarest pairs of Covered. Both learn from whole
	// generations only. One that was cut short is played again later, and its trials count once.
	Pool []Near `json:"pool"`
	// Covered are the pairs of things that the guard did, by name. It is brought up to date when
	// [Search.Run] returns.
	Covered []Covered `json:"covered"`
}

// Find is a trial that did harm.
type Find struct {
	Trial int `json:"trial"`
	// Tape plays it again, see [Tell].
	Tape string `json:"tape"`
	Harm Harm   `json:"harm"`
}

// Near is a trial that was close to a kind of harm.
type Near struct {
	Kind  string  `json:"kind"`
	Share float64 `json:"share"`
	Tape  string  `json:"tape"`

	tape Tape
}

// The sizes of a search: trials drawn before the pool learns of any of them, trials kept for
// each kind of harm, finds of a kind that are shrunk and kept.
const (
	generation = 32
	poolEach   = 6
	findsEach  = 3
)

// Options say how a search is carried out. They change nothing about what a trial does.
type Options struct {
	// Trials is the total number of trials to play, Jobs how many run concurrently, at
	// least 1.
	Trials, Jobs int
	// First ends the search with the first generation that did harm.
	First bool
	// Progress, when set, is called with the number of trials played.
	Progress func(done int)
	// Off are checks of the guard that are left out.
	Off []string
}

// Run plays the remaining trials. When ctx ends it stops between two generations with
// ctx's error; a later call continues.
func (s *Search) Run(ctx context.Context, o Options) error {
	l, err := newLab(o.Off...)
	if err != nil {
		return err
	}
	for i, n := range s.Pool {
		s.Pool[i].tape, err = ParseTape(n.Tape)
		if err != nil {
			return err
		}
	}
	covered, err := coverageOf(s.Covered)
	if err != nil {
		return err
	}
	defer func() { s.Covered = covered.list() }()
	for s.Next < o.Trials && ctx.Err() == nil && !(o.First && s.Harmful > 0) {
		first := s.Next - s.Next%generation
		tapes := make([]Tape, min(generation, o.Trials-first))
		found := make([]outcome, len(tapes))
		rarest := covered.rarest()
		var group errgroup.Group
		group.SetLimit(max(1, o.Jobs))
		for i := range tapes {
			group.Go(func() (err error) {
				r := rand.New(rand.NewPCG(s.Seed, uint64(first+i)))
				tapes[i] = draw(r)
				switch r.IntN(8) {
				case 0, 1:
					if len(s.Pool) > 0 {
						tapes[i] = s.Pool[r.IntN(len(s.Pool))].tape.mutated(r)
					}
				case 2, 3, 4, 5:
					if len(rarest) > 0 {
						tapes[i] = rare(rarest, r).mutated(r)
					}
				}
				found[i], err = l.trial(tapes[i])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i, f := range found {
			if first+i >= s.Next {
				s.count(first+i, tapes[i], f.harms)
			}
			if len(tapes) == generation {
				s.learn(tapes[i], f.harms)
				covered.add(tapes[i], f.marks)
			}
		}
		s.Next = first + len(tapes)
		if o.Progress != nil {
			o.Progress(s.Next)
		}
	}
	return ctx.Err()
}

// count files what harm a trial did.
func (s *Search) count(trial int, t Tape, harms []Harm) {
	found, harmful := map[string]int{}, false
	for _, f := range s.Finds {
		found[f.Harm.Kind]++
	}
	for _, h := range harms {
		if h.Share > 1 {
			harmful = true
			found[h.Kind]++
			if found[h.Kind] <= findsEach {
				s.Finds = append(s.Finds, Find{trial, t.String(), h})
			}
		}
	}
	if harmful {
		s.Harmful++
	}
}

// learn offers a trial to the pool for each kind of harm that it was close to.
func (s *Search) learn(t Tape, harms []Harm) {
	for _, h := range harms {
		if h.Share <= 1 {
			s.keep(Near{h.Kind, h.Share, "", t})
		}
	}
}

// keep adds a trial to the pool, if it is closer to its kind of harm than others.
func (s *Search) keep(n Near) {
	if n.Share <= 0 {
		return
	}
	weakest, count := -1, 0
	for i, p := range s.Pool {
		if p.Kind == n.Kind {
			weakest, count = i, count+1
		}
	}
	if count == poolEach {
		// The newer of two equals stays, so that the pool keeps changing.
		if s.Pool[weakest].Share > n.Share {
			return
		}
		s.Pool = slices.Delete(s.Pool, weakest, weakest+1)
	}
	n.Tape = n.tape.String()
	s.Pool = append(s.Pool, n)
	slices.SortStableFunc(s.Pool, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Share, a.Share))
	})
}

// Shrink makes the tapes of all finds as short as they can be and still do such harm.
func (s *Search) Shrink(off ...string) error {
	l, err := newLab(off...)
	if err != nil {
		return err
	}
	for i := range s.Finds {
		f := &s.Finds[i]
		t, err := ParseTape(f.Tape)
		if err != nil {
			return err
		}
		f.Tape = t.shrunk(func(t Tape) bool {
			played, err := l.trial(t)
			at := slices.IndexFunc(played.harms, func(h Harm) bool { return h.Kind == f.Harm.Kind && h.Share > 1 })
			if err != nil || at < 0 {
				return false
			}
			f.Harm = played.harms[at]
			return true
		}).String()
	}
	return nil
}

// Tell is the outcome of a tape: the harms, and line by line what each agent did.
func Tell(t Tape, off ...string) (harms []Harm, lines []string, err error) {
	l, err := newLab(off...)
	if err != nil {
		return nil, nil, err
	}
	played, err := l.trial(t)
	if err != nil {
		return nil, nil, err
	}
	lines, err = l.tell(t)
	return slices.DeleteFunc(played.harms, func(h Harm) bool { return h.Share <= 1 }), lines, err
}
