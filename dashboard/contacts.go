package dashboard

import (
	"cmp"
	"net/http"
	"slices"

	"example.com/agentworld/explain"
)

// contactsView is what agents said, offered and gave to each other.
type contactsView struct {
	// Threads are the pairs of agents, those with the most contacts first, at most threadsShownMax of
	// Pairs.
	Threads []threadView `json:"threads"`
	Pairs   int          `json:"pairs"`
	// List has the contacts of the pair or the agent that was asked for, of all otherwise: the newest
	// contactsShownMax of Count, oldest first.
	List  []explain.Contact `json:"list"`
	Count int               `json:"count"`
	// Full says that earlier ones are not kept.
	Full bool `json:"full"`
}

// threadView counts the contacts of two agents. Of those to all, B is empty.
type threadView struct {
	A     string         `json:"a"`
	B     string         `json:"b"`
	Kinds map[string]int `json:"kinds"`
	Count int            `json:"count"`
	// First and Last are the ticks of the first and the last.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

const (
	threadsShownMax  = 200
	contactsShownMax = 1000
)

// pairOf is who a contact is between, in alphabetical order.
func pairOf(c explain.Contact) [2]string {
	if c.To != "" && c.To < c.From {
		return [2]string{c.To, c.From}
	}
	return [2]string{c.From, c.To}
}

func (s *Server) getContacts(h *history, r *http.Request) (any, error) {
	a, b := r.URL.Query().Get("a"), r.URL.Query().Get("b")
	h.mu.RLock()
	list := slices.Clone(h.contacts.List)
	v := contactsView{Threads: []threadView{}, List: []explain.Contact{}, Full: h.contacts.Full}
	h.mu.RUnlock()
	threads := map[[2]string]*threadView{}
	for _, c := range list {
		pair := pairOf(c)
		of := threads[pair]
		if of == nil {
			of = &threadView{A: pair[0], B: pair[1], Kinds: map[string]int{}, First: c.Tick}
			threads[pair] = of
		}
		of.Kinds[c.Kind]++
		of.Count++
		of.Last = c.Tick
		if a == "" || a == c.From && (b == "" || b == c.To) || a == c.To && (b == "" || b == c.From) {
			v.List = append(v.List, c)
		}
	}
	for _, of := range threads {
		v.Threads = append(v.Threads, *of)
	}
	slices.SortFunc(v.Threads, func(x, y threadView) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	v.Pairs, v.Count = len(v.Threads), len(v.List)
	v.Threads = v.Threads[:min(len(v.Threads), threadsShownMax)]
	v.List = v.List[max(0, len(v.List)-contactsShownMax):]
	return v, nil
}
