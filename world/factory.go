package world

// factory is the stored record of a factory. Inputs of what it builds or runs
// wait in its escrow account.
type factory struct {
	id      string
	owner   int32
	kind    int
	place   int32
	account account
	// stepAt is when the construction or the batch in work ends, 0 when idle.
	stepAt int64
	ready  bool
	// jobs are the queue; the first one is in work.
	jobs []job
	// wear is 0 to WearMax; that of a plant was true at settledAt.
	wear int64
	// store is the account of a plant's electricity, its balance true at settledAt;
	// other factories have none.
	store     account
	settledAt int64
}

// job is a number of batches of one recipe.
type job struct {
	recipe  int
	batches int64
}

// queued counts the batches in work and waiting.
func (f *factory) queued() int64 {
	var n int64
	for _, j := range f.jobs {
		n += j.batches
	}
	return n
}

// factoryStep ends the present step of factory k and starts the next. The end of a
// construction uses up what the factory was built from and opens it. A finished batch is
// delivered to the owner, wherever it is. The step is a wake-up and needs no agent there:
// work continues while the owner sleeps, travels or is shut down.
func (w *World) factoryStep(k int32) {
	f := &w.factories[k]
	f.stepAt = 0
	w.touchFactory(k)
	e := Event{Agent: w.agents[f.owner].id, Place: w.placeID(f.place), Subject: f.id}
	if !f.ready {
		f.ready = true
		if w.isPlant(f) {
			w.openPlant(k)
		}
		e.Kind, e.Detail = EventFactoryBuilt, w.law.Kinds[f.kind].Name
		e.Postings = w.consume(f.account, w.law.Kinds[f.kind].cost)
	} else {
		j := &f.jobs[0]
		recipe := &w.law.Recipes[j.recipe]
		if !recipe.maintains {
			f.wear = min(WearMax, f.wear+WearPerBatch)
		} else {
			if w.isPlant(f) {
				w.settlePlant(k) // up to now it generated at the old wear
			}
			f.wear = 0
		}
		e.Kind, e.Detail = EventBatchDone, recipe.ID
		e.Postings = w.consume(f.account, recipe.inputs)
		for r, n := range recipe.outputs {
			e.Postings = w.postAny(e.Postings, sourceProduction, w.agents[f.owner].account, resource(r), n)
		}
		j.batches--
		if j.batches == 0 {
			f.jobs = append(f.jobs[:0:0], f.jobs[1:]...)
			e.Kind = EventJobDone
		}
	}
	w.emit(e)
	if e.Kind != EventBatchDone {
		// An owner that is awake needs no waking; it sees the result in its observation.
		s := w.agents[f.owner].standing
		if s != nil {
			s.jobDone = true
			s.idled = s.idled || len(f.jobs) == 0
		}
		if !s.ignores(StopJobDone) {
			w.wake(f.owner, string(EventJobDone))
		}
	}
	w.startBatch(k)
}

// startBatch begins the next batch of an idle factory if one is queued.
// The next batch begins in the tick in which the last one ended.
func (w *World) startBatch(k int32) {
	f := &w.factories[k]
	if !f.ready || f.stepAt != 0 || len(f.jobs) == 0 {
		return
	}
	f.stepAt = w.tick + w.law.Recipes[f.jobs[0].recipe].Ticks
	w.calendar.set(wakeUpOf(int32(len(w.agents))+k, kindBody), f.stepAt)
}

// deposit pays inputs into a factory's escrow. No agent can give away or spend what is in
// escrow.
func (w *World) deposit(n int32, escrow account, inputs stock) []Posting {
	postings := w.spend(n, escrow, inputs[electricity])
	for r, amount := range inputs {
		if resource(r) != electricity {
			postings = w.postAny(postings, w.agents[n].account, escrow, resource(r), amount)
		}
	}
	return postings
}

// consume writes off inputs held in escrow.
// Electricity ends as work, everything else as material, in two sinks, so that a
// report can tell energy from matter.
func (w *World) consume(escrow account, inputs stock) []Posting {
	postings := w.postAny(nil, escrow, sinkWork, electricity, inputs[electricity])
	for r, n := range inputs {
		if resource(r) != electricity {
			postings = w.postAny(postings, escrow, sinkMaterials, resource(r), n)
		}
	}
	return postings
}

// describe is the factory as its owner observes it.
func (w *World) describe(f *factory) Factory {
	d := Factory{ID: f.id, Kind: w.law.Kinds[f.kind].Name, Place: w.placeID(f.place), State: "idle"}
	if f.stepAt != 0 {
		d.ReadyIn = f.stepAt - w.tick
	}
	plant, here := w.isPlant(f), f.place == w.agents[f.owner].place
	switch {
	case !plant:
		d.Wear = f.wear
	case here && f.ready:
		// Elsewhere others may have bought from it, which is not to be seen from afar.
		now := w.outputOf(f)
		d.Wear, d.Stored = now.wear, now.stored
	}
	switch {
	case !f.ready:
		d.State = "building"
	case len(f.jobs) > 0:
		d.State = "working"
		d.Recipe = w.law.Recipes[f.jobs[0].recipe].ID
		d.Batches = f.jobs[0].batches
		d.Queued = f.queued() - d.Batches
		if d.Batches+d.Queued > 1 {
			d.AllIn = w.allIn(f)
		}
	case plant && d.Wear < WearMax:
		d.State = "generating"
	}
	return d
}

// allIn counts the ticks until all that is queued in a factory at work is done.
func (w *World) allIn(f *factory) int64 {
	ticks := f.stepAt - w.tick - w.law.Recipes[f.jobs[0].recipe].Ticks // the batch in work is among its batches
	for _, j := range f.jobs {
		ticks += j.batches * w.law.Recipes[j.recipe].Ticks
	}
	return ticks
}
