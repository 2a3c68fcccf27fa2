package report

import (
	"cmp"
	"maps"
	"slices"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Effect compares the outcomes of decisions that used a source with the outcomes of
// decisions that had it in view and did not use it. Decisions choose what they use, so a
// difference is an association and no proof that the source helped. Outcomes of uses alone
// show even less: decisions that would have gone well anyway also use good sources.
type Effect struct {
	// Decisions that had it in view.
	Retrieved int64 `json:"retrieved"`
	// Decisions that used it.
	Used int64 `json:"used"`
	// Outcomes of decisions by models that used it.
	AfterUse Outcomes `json:"after_use"`
	// Outcomes of decisions by models that had it in view and did not use it.
	AfterUnused Outcomes `json:"after_unused"`
	// Accepted share after use less the one after no use, with Newcombe's interval; null when one of them has no actions.
	Difference *Estimate `json:"difference"`
}

// Outcomes are what the world answered to some decisions.
type Outcomes struct {
	// Decisions, waits included.
	Decisions int64 `json:"decisions"`
	// Actions among them that the world accepted or rejected, waits not counted.
	Actions int64 `json:"actions"`
	// Actions the world accepted.
	Accepted int64 `json:"accepted"`
	// Share of accepted actions, with Wilson's interval; null without actions.
	AcceptedShare *Estimate `json:"accepted_share"`
	// What accepted actions, waits not counted, added to and took from the agents, summed by resource.
	Changes []world.Amount `json:"changes"`
}

// KindEffect is the effect of all sources of one kind: a decision used the kind when
// it used any source of it.
type KindEffect struct {
	// Kind of the sources.
	Kind string `json:"kind"`
	// Outcomes of decisions that used them and of those that only had them in view.
	Effect Effect `json:"effect"`
}

// BulletEffect is the effect of one bullet of a playbook.
type BulletEffect struct {
	// Id of the bullet.
	ID string `json:"id"`
	// Agent whose playbook it is; empty for a bullet that all agents started with.
	AgentID string `json:"agent_id"`
	// Outcomes of decisions that used it and of those that only had it in view.
	Effect Effect `json:"effect"`
}

// DocumentEffect is the effect of one chunk of a document, over all agents.
type DocumentEffect struct {
	// Id of the chunk.
	ID string `json:"id"`
	// Document and headings above the chunk.
	Title string `json:"title"`
	// How it begins.
	Preview string `json:"preview"`
	// Trust in it.
	Trust string `json:"trust"`
	// Outcomes of decisions that used it and of those that only had it in view.
	Effect Effect `json:"effect"`
}

// TemplateOutcomes are the outcomes of the decisions made with one wording of the instructions.
// Every decision with model calls has one, so there is none without to compare with; a prompt switch
// or a fork makes two.
type TemplateOutcomes struct {
	// Id of the wording.
	ID string `json:"id"`
	// Protocol, way to commit and language.
	Title string `json:"title"`
	// How it begins.
	Preview string `json:"preview"`
	// What the world answered to decisions by models.
	Outcomes Outcomes `json:"outcomes"`
}

// bulletKey identifies a bullet: agents that learn give the same id to different
// lessons, except to those they all started with.
type bulletKey struct{ id, agent string }

// effects gathers effects over the decisions of a run.
type effects struct {
	kinds   map[string]*tally
	bullets map[bulletKey]*tally
	// documents are by the id of the chunk, chunks how each was recorded first.
	documents map[string]*tally
	chunks    map[string]trace.Source
	// templates are by their ids, wordings how each was recorded first.
	templates map[string]*tally
	wordings  map[string]trace.Source
	// seed are the lessons all agents started with.
	seed *playbook.Playbook
}

// tally is an effect in the making, with the changes of each side by resource, nil for none.
type tally struct {
	Effect
	after, without Counts
}

// add counts one decision, with the answer to its action if the world was asked. Each
// bullet and each kind counts once for it.
func (e *effects) add(d trace.Decision, asked bool, answer trace.Ruling) {
	kinds := map[string]bool{}
	bullets := map[bulletKey]bool{}
	for _, s := range d.SourcesRetrieved {
		used := slices.Contains(d.SourcesUsed, s.ID)
		kind := string(s.Kind)
		kinds[kind] = kinds[kind] || used
		if s.Kind == trace.KindBullet {
			key := bulletKey{s.ID, d.AgentID}
			if _, shared := e.seed.Bullet(s.ID); shared {
				key.agent = ""
			}
			bullets[key] = bullets[key] || used
		}
		if s.Kind == trace.KindDocument {
			if _, known := e.chunks[s.ID]; !known {
				e.chunks[s.ID] = s
			}
			at(e.documents, s.ID).add(used, d.DecidedBy == trace.ByModel, asked, answer)
		}
	}
	if s := d.Template; s != nil {
		if _, known := e.wordings[s.ID]; !known {
			e.wordings[s.ID] = *s
		}
		at(e.templates, s.ID).add(true, d.DecidedBy == trace.ByModel, asked, answer)
	}
	for kind, used := range kinds {
		at(e.kinds, kind).add(used, d.DecidedBy == trace.ByModel, asked, answer)
	}
	for key, used := range bullets {
		at(e.bullets, key).add(used, d.DecidedBy == trace.ByModel, asked, answer)
	}
}

// add counts a decision. Only those that a model made are compared: where the
// engine had to wait, nothing could have been used.
func (t *tally) add(used, byModel, asked bool, answer trace.Ruling) {
	t.Retrieved++
	o, changes := &t.AfterUnused, &t.without
	if used {
		t.Used++
		o, changes = &t.AfterUse, &t.after
	}
	if !byModel {
		return
	}
	o.Decisions++
	if !asked {
		return
	}
	o.Actions++
	if !answer.Accepted {
		return
	}
	o.Accepted++
	if *changes == nil {
		*changes = Counts{}
	}
	for _, c := range answer.Changes {
		(*changes)[c.Resource] += c.Amount
	}
}

func (t *tally) report() Effect {
	e := t.Effect
	e.AfterUse.Changes, e.AfterUnused.Changes = t.after.amounts(), t.without.amounts()
	for _, o := range []*Outcomes{&e.AfterUse, &e.AfterUnused} {
		if o.Actions > 0 {
			o.AcceptedShare = wilson(o.Accepted, o.Actions).estimate()
		}
	}
	if e.AfterUse.Actions > 0 && e.AfterUnused.Actions > 0 {
		e.Difference = wilson(e.AfterUse.Accepted,
			e.AfterUse.Actions).minus(wilson(e.AfterUnused.Accepted, e.AfterUnused.Actions))
	}
	return e
}

// report fills in the effects by kind, by bullet and agent, and by chunk of a document, and the
// outcomes by template.
func (e *effects) report(p *Provenance) {
	kinds := []KindEffect{}
	bullets := []BulletEffect{}
	documents := []DocumentEffect{}
	templates := []TemplateOutcomes{}
	for _, kind := range slices.Sorted(maps.Keys(e.kinds)) {
		kinds = append(kinds, KindEffect{kind, e.kinds[kind].report()})
	}
	keys := slices.SortedFunc(maps.Keys(e.bullets), func(a, b bulletKey) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.agent, b.agent))
	})
	for _, key := range keys {
		bullets = append(bullets, BulletEffect{key.id, key.agent, e.bullets[key].report()})
	}
	for _, id := range slices.Sorted(maps.Keys(e.documents)) {
		s := e.chunks[id]
		documents = append(documents, DocumentEffect{id, s.Title, s.Preview, s.Trust.String(), e.documents[id].report()})
	}
	for _, id := range slices.Sorted(maps.Keys(e.templates)) {
		templates = append(templates, TemplateOutcomes{id, e.wordings[id].Title, e.wordings[id].Preview,
			e.templates[id].report().AfterUse})
	}
	p.Kinds = kinds
	p.Bullets = bullets
	p.Documents = documents
	p.Templates = templates
}
