package world

import (
	"encoding/binary"
	"testing"
)

// FuzzApply reads actions from bytes and runs them; no input may break the books.
func FuzzApply(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x13\x88\x04 mine, refine, build"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x03\x80\x00\x00\x00\x00\x00\x00\x00\x06"))
	s := mustScenario(f, "llm_bootstrap")
	s.Terms = true
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		for len(data) >= 9 && w.Tick() < 60 {
			w.Advance()
			var intents []Intent
			for _, n := range append(w.Due(), w.Continuing()...) {
				if len(data) >= 9 {
					intents = append(intents, Intent{Agent: n, Action: actionFrom(data)})
					data = data[9:]
				}
			}
			w.Apply(intents)
		}
		sums := map[string]int64{}
		for _, b := range w.Balances() {
			sums[b.Resource] += b.Amount
		}
		for r, n := range sums {
			if n != 0 {
				t.Fatalf("%s sums to %d", r, n)
			}
		}
		if w.Digest() != w.RecomputeDigest() {
			t.Fatal("digests differ")
		}
	})
}

// actionFrom makes an action of nine bytes: an amount and a choice.
func actionFrom(data []byte) Action {
	n, b := int64(binary.BigEndian.Uint64(data)), int(data[8])
	ids := []string{"llm-hub", "frag-amber", "frag-none", "agent-1", "agent-2", "agent-1-f1", "agent-2-f1", "agent-1-o1", "offer-1-agent-1-1", "req-2-agent-2-1", "anyone"}
	id := ids[b/10%len(ids)]
	switch b % 19 {
	case 1:
		return WaitTicks{n}
	case 2:
		return Move{id}
	case 3:
		return Harvest{n}
	case 4:
		return Mine{n}
	case 5:
		return Refine{n}
	case 6:
		return BuildFactory{DefaultRules().Industry().Kinds[b/14%2].Name}
	case 7:
		return ScheduleRecipe{id, DefaultRules().Industry().Recipes[b%3].ID, n}
	case 8:
		return Transfer{id, Resources()[b%7], n}
	case 9:
		return ExecuteUntil{Do: Mine{n}, Until: []Condition{{Event: StopJobDone}}, MaxTicks: n % 300}
	case 10:
		return BuyPower{n, 1 + n%20}
	case 11:
		return SellPower{n, 1 + n%20}
	case 12:
		return PlaceOrder{[]string{SideBuy, SideSell}[b/14%2], n, 1 + n%20}
	case 13:
		return CancelOrder{id}
	case 14:
		return Request{id, Resources()[b%7], n, 1 + n%20}
	case 15:
		return Offer{id, Resources()[b%7], n, Resources()[b/19%7], 1 + n%9, 1 + n%20, ""}
	case 16:
		return AcceptOffer{id}
	case 17:
		return Decline{id}
	case 18:
		return CancelOffer{id}
	}
	return Wait{}
}
