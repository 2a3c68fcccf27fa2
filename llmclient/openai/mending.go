package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// conceded is a request without what its model's endpoint has refused or not kept to so far, and the names
// of what it goes without.
func (c *Client) conceded(r llmclient.Request) (llmclient.Request, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	chosen := c.chosen(r)
	for _, f := range fields {
		without := c.refusals[refusal{r.Model, f.name}] != 0 || slices.Contains(chosen, f.name)
		if without && f.gives(&r) {
			names = append(names, RepairWithout+f.name)
		}
	}
	return r, names
}

// mending is what one call does about refusals of its request.
//
// Invariant: a call takes each step once, so that it ends.
type mending struct {
	client *Client
	// asked is the request as its caller made it, sent as the last attempt had it, without the names
	// of what that went without.
	asked, sent llmclient.Request
	without     []string
	// step is the last one that was taken and is on trial, nil for none; steps are those that may be
	// tried in its place, and why is the refusal that they are for.
	step  []string
	steps [][]string
	why   string
	// taken are the steps of this call.
	taken map[string]bool
}

// next is the request of the next attempt.
func (m *mending) next() llmclient.Request {
	m.sent, m.without = m.client.conceded(m.asked)
	return m.sent
}

// mends reports whether the request is to be sent again, without what the endpoint refused.
func (m *mending) mends(x exchange, got outcome) (mends bool) {
	if got.failure == nil || !slices.Contains(failing, got.refused.status) {
		return false // a failure on the way shows nothing about the request
	}
	if !slices.Contains(mendable, got.failure.Kind) {
		return false
	}
	if demandsReasoning.MatchString(got.refused.words()) && m.givesBack(fieldReasoning, fieldReasoningIDs) {
		return true
	}
	steps, why := x.refuses(got.refused), got.refused.gist()
	store := slices.ContainsFunc(steps, func(s []string) bool { return slices.Contains(s, fieldStore) })
	if store && !m.client.config.AllowStore {
		// Whatever else of the step may help is tried, too.
		defer func() {
			if !mends {
				got.failure.Kind = llmclient.ErrStoreRefused
			}
		}()
	}
	if m.step != nil && (why == m.why || len(steps) == 0) {
		m.undo(m.step)
		steps = m.steps
	}
	return m.takes(steps, why, got)
}

// mendable are the kinds of failures that a concession may mend: what is said of others, such as a prompt
// that is too long, is about them.
var mendable = []llmclient.ErrorKind{
	llmclient.ErrBadRequest, llmclient.ErrServer, llmclient.ErrForbidden,
	llmclient.ErrErrorObject, llmclient.ErrFailedResponse,
}

// mendsBlindly is [mending.mends] for a refusal that no words explain: what no request to this
// endpoint was taken with so far is left out, once.
func (m *mending) mendsBlindly(x exchange, got outcome) bool {
	f := got.failure
	refused := f != nil && f.Kind == llmclient.ErrBadRequest && slices.Contains(refusing, f.Status)
	broken := f != nil && f.Kind == llmclient.ErrServer && x.status == http.StatusInternalServerError
	if m.client.config.Steady || !refused && !broken || got.refused.explained(m.asked) {
		return false
	}
	if broken && !m.client.isAccepted(refusal{model: m.asked.Model}) {
		return false // it may be down, and come back by chance when something is left out
	}
	var steps [][]string
	for _, name := range blindly {
		if name == fieldBreakpoints && !refused {
			continue // every request has some, and most failures of a server are about none
		}
		at, r := refusal{m.asked.Model, name}, m.sent
		if fieldOf(name).gives(&r) && m.client.tryOnce(at) {
			steps = append(steps, []string{name})
		}
	}
	return m.takes(steps, got.refused.gist(), got)
}

// blindly are the fields that are left out of a request that is refused without a reason, in the order
// in which they are tried.
var blindly = []string{fieldOutputLists, fieldBreakpoints, fieldRole, fieldReasoning}

// takes takes the first of some steps that changes the request.
func (m *mending) takes(steps [][]string, why string, got outcome) bool {
	m.step = nil
	m.steps = nil
	m.why = why
	for i, step := range steps {
		if m.take(step, got) {
			m.step, m.steps = step, steps[i+1:]
			return true
		}
	}
	return false
}

// take gives up the fields of a step, if that makes the request another one. store is given up only
// where that is allowed.
func (m *mending) take(step []string, got outcome) bool {
	key := strings.Join(step, " ")
	if m.taken[key] {
		return false
	}
	if m.taken == nil {
		m.taken = map[string]bool{}
	}
	m.taken[key] = true
	var given []string
	for _, name := range step {
		r := m.asked
		if name == fieldStore && !m.client.config.AllowStore {
			continue
		}
		if fieldOf(name).gives(&r) && m.client.concede(refusal{m.asked.Model, name}, got.failure.Message) {
			given = append(given, name)
		}
	}
	next, _ := m.client.conceded(m.asked)
	if bytes.Equal(next.Body(), m.sent.Body()) {
		m.undo(given)
		return false
	}
	return true
}

// undo takes back fields that no answer came without.
func (m *mending) undo(names []string) {
	c := m.client
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		if at := (refusal{m.asked.Model, name}); c.refusals[at] == onTrial {
			delete(c.refusals, at)
		}
	}
}

// givesBack undoes concessions that the endpoint turns out to want undone, and reports whether there
// was one.
func (m *mending) givesBack(names ...string) bool {
	c := m.client
	c.mu.Lock()
	defer c.mu.Unlock()
	was := len(c.refusals)
	for _, name := range names {
		delete(c.refusals, refusal{m.asked.Model, name})
		// It must not be given up again in this call.
		if m.taken == nil {
			m.taken = map[string]bool{}
		}
		m.taken[name] = true
	}
	return len(c.refusals) < was
}

// ended ends the call: with an answer what it went without is proven, without one what it still
// tries is undone.
func (m *mending) ended(answered bool) {
	if !answered {
		for step := range m.taken {
			m.undo(strings.Fields(step))
		}
		return
	}
	for _, name := range m.without {
		at := refusal{m.asked.Model, strings.TrimPrefix(name, RepairWithout)}
		m.client.proves(at)
	}
	m.client.setAccepted(refusal{model: m.asked.Model})
	for _, name := range blindly {
		if sent := m.sent; fieldOf(name).gives(&sent) {
			m.client.setAccepted(refusal{m.asked.Model, name})
		}
	}
}

// concede gives a field up on trial for what the endpoint said, and reports whether it was not given up
// before.
func (c *Client) concede(at refusal, said string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusals[at] != 0 {
		return false
	}
	c.refusals[at], c.said[at] = onTrial, said
	return true
}

// proves notes that a request without a field was answered, and says so the first time.
func (c *Client) proves(at refusal) {
	c.mu.Lock()
	first, said := c.refusals[at] == onTrial, c.said[at]
	if first {
		c.refusals[at] = proven
	}
	c.mu.Unlock()
	if first {
		c.note(fmt.Sprintf("requests to %s go without %s from now on: the endpoint refuses it (%s)", at.model, at.name, said))
	}
}

// note tells the user of the client something once.
func (c *Client) note(text string) {
	if c.config.Noted != nil {
		c.config.Noted(c.scrub.message(text))
	}
}

func (c *Client) isAccepted(at refusal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.accepted[at]
}

func (c *Client) setAccepted(at refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accepted[at] = true
}

// tryOnce reports whether a field may be given up without a reason: once, and only if no request
// with it was answered yet.
func (c *Client) tryOnce(at refusal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	may := !c.accepted[at]
	c.accepted[at] = true
	return may
}

// gist is a refusal without what differs from one request to the next.
func (p problem) gist() string {
	return fmt.Sprint(p.status, " ", changing.ReplaceAllString(p.param+" "+p.names+" "+p.message, "#"))
}

var changing = regexp.MustCompile(`[\w-]*\d[\w-]*`)

// explained reports whether a refusal names a member or a place of the request.
func (p problem) explained(r llmclient.Request) bool {
	words := plainWords("'" + p.param + "' " + p.message)
	members, _ := membersIn(words)
	if len(members) > 0 || p.param != "" || saysName.MatchString(words) {
		return true
	}
	for name := range llmclient.MembersOf(r.Sampling.ExtraBody) {
		if strings.Contains(words, plainWords(name)) {
			return true
		}
	}
	how := r.Sampling
	for _, value := range []string{how.ReasoningEffort, how.ServiceTier, string(how.Temperature), string(how.TopP)} {
		if value != "" && strings.Contains(words, "'"+value+"'") {
			return true
		}
	}
	return how.ServiceTier != "" && strings.Contains(words, "service tier")
}

// saysName finds the refusal of something by its name, which is one of the user's where it is none of ours.
var saysName = regexp.MustCompile("\\b(unknown|unsupported|unrecogni[sz]ed|unexpected) " +
	"(parameter|field|argument|property|option|keyword)s?\\b.{0,20}['\"`:]")

func fieldOf(name string) field {
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if at < 0 {
		panic("openai: no field " + name)
	}
	return fields[at]
}
