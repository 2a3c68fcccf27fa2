package world

import (
	"slices"
	"testing"
)

func TestWhatAgentsPassToEachOther(t *testing.T) {
	for name, test := range map[string]struct {
		event Event
		want  []Exchange
	}{
		"a gift": {
			Event{Kind: EventActionApplied, Agent: "a", Postings: []Posting{{"agent:a", "agent:b", Hardware, 3}}},
			[]Exchange{{"a", "b", Hardware, 3}},
		},
		"work": {
			Event{Kind: EventActionApplied, Agent: "a", Postings: []Posting{{"agent:a", "sink:work", Electricity, 3}}}, nil,
		},
		"a trade": {
			Event{Kind: EventTrade, Agent: "b", Trade: &Trade{Buyer: "b", Seller: "a", Price: 4, Amount: 30}},
			[]Exchange{{"a", "b", Electricity, 30}, {"b", "a", Data, 12}},
		},
		"an accepted offer": {
			Event{Kind: EventOfferAccepted, Agent: "b", From: "a", Postings: []Posting{
				{"offer:offer-1-a-1", "agent:b", Hardware, 2}, {"agent:b", "offer:offer-1-a-1", Data, 5},
			}},
			[]Exchange{{"a", "b", Hardware, 2}, {"b", "a", Data, 5}},
		},
	} {
		if got := test.event.Exchanges(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
