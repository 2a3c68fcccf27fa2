package behavior

import "testing"

// TestHeadroomIsKeptWhileItIsNeeded: a longer answer is remembered, and forgotten by halves.
func TestHeadroomIsKeptWhileItIsNeeded(t *testing.T) {
	room := headroom{4096, 1000}
	for i, c := range []struct {
		longest int // whole answer of the turn, 0 for none
		want    headroom
	}{{3000, headroom{4096, 1000}}, {0, headroom{4096, 1000}}, {200, headroom{2048, 1000}}, {1500, headroom{2048, 1000}}, {1000, headroom{1024, 1000}}, {1, headroom{}}, {5000, headroom{}}} {
		turn := answerRoom{begun: room, length: room.length, longest: c.longest}
		if room = turn.next(); room != c.want {
			t.Fatalf("turn %d: %+v, want %+v", i, room, c.want)
		}
	}
	free := func() int { return 100_000 }
	c := Conversation{room: answerRoom{cut: 1000, asked: 1000}}
	if !c.Lengthen(free) || c.room.next() != (headroom{}) {
		t.Errorf("%+v before the longer answer came", c.room.next())
	}
	c.room.longest = 3000
	if c.room.next() != (headroom{4000, 1000}) {
		t.Errorf("%+v after it came", c.room.next())
	}
}
