package guardlab

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Tape is a trial as numbers. Each choice is read from a fixed place, so that changing
// one number changes one thing; 0 is the simplest choice everywhere. This makes drawing,
// mutating and shrinking the same for all parts of a trial.
type Tape []byte

// The parts of a tape: what holds for the whole trial, rules, and for each tick what the
// victim's model does and what each attacker does.
const (
	headLen   = 12
	rulesMax  = 3
	ruleLen   = 12
	ticksMax  = 20
	modelLen  = 6
	attackers = 3
	moveLen   = 8
	tickLen   = modelLen + attackers*moveLen
	tapeLen   = headLen + rulesMax*ruleLen + ticksMax*tickLen
)

// record is a part of a tape that is about one thing.
type record []byte

// of is the choice at a place among n.
func (r record) of(at, n int) int { return int(r[at]) % n }

// nearly makes a record another one but for one number.
func (r record) nearly(other record, random *rand.Rand) {
	copy(r, other)
	r[random.IntN(len(r))] = byte(random.IntN(256))
}

// goods are one of the goods and another one, by two places.
func (r record) goods(at, other int) (one, another string) {
	i := r.of(at, len(goods))
	return goods[i], goods[(i+1+r.of(other, len(goods)-1))%len(goods)]
}

func (t Tape) head() record { return record(t[:headLen]) }

func (t Tape) rule(i int) record { return record(t[headLen+i*ruleLen:][:ruleLen]) }

// model is what the victim's model does in a turn, from 1: plays of a tape differ in the ticks in
// which the victim is due, and a model does not think of ticks.
func (t Tape) model(turn int64) record { return record(t[tickAt(turn):][:modelLen]) }

// move is what an attacker does in a tick, from 1.
func (t Tape) move(tick int64, attacker int) record {
	return record(t[tickAt(tick)+modelLen+attacker*moveLen:][:moveLen])
}

// tickAt is where a tick begins. A trial that is longer than the script plays it again.
func tickAt(tick int64) int { return headLen + rulesMax*ruleLen + int(tick-1)%ticksMax*tickLen }

// ticks is how long the trial is played. Half are shorter than the script; what holds from a later
// tick on needs more, and what is counted over many ticks needs the longest.
func (t Tape) ticks() int64 {
	return []int64{12, 12, 14, 24, 16, 28, 24, 12, 12, 14, 16, 20, 26, 28, 32, 60}[t.head().of(11, 16)]
}

// draw makes a tape from a seed. A trial uses only a few moves and manners: otherwise a
// harm that needs several repetitions would hardly ever occur.
func draw(r *rand.Rand) Tape {
	t := make(Tape, tapeLen)
	for i := range t {
		t[i] = byte(r.IntN(256))
	}
	for i := r.IntN(rulesMax); i < rulesMax-1; i++ {
		clear(t.rule(i + 1))
	}
	if r.IntN(3) == 0 {
		t.rule(1).nearly(t.rule(0), r) // two rules that differ in one thing
	}
	varied := r.IntN(40)
	// Each attacker has two usual moves. Mostly they are about the same: what it asks for it also asks
	// for in another way, or for another amount of it, or in the words of others.
	var usual [attackers][2]record
	var quiet [attackers]int
	for n := range usual {
		one, other := append(record{}, t.move(1, n)...), append(record{}, t.move(2, n)...)
		if r.IntN(3) == 0 {
			one[0] = byte(moves + r.IntN(movesDrawn-moves)) // by which a rule lets it ask
		}
		if r.IntN(5) > 0 {
			for at := range one {
				if differs := at == 0 || at == 3 || at == moveLen-1; !differs || r.IntN(2) > 0 {
					other[at] = one[at]
				}
			}
		}
		usual[n], quiet[n] = [2]record{one, other}, r.IntN(100)
		if once := int64(1 + r.IntN(ticksMax)); r.IntN(4) == 0 {
			for tick := int64(1); tick <= ticksMax; tick++ {
				if tick != once {
					clear(t.move(tick, n))
				}
			}
			quiet[n] = -1
		}
	}
	manner := append(record{}, t.model(1)...)
	for tick := int64(1); tick <= ticksMax; tick++ {
		if r.IntN(100) >= varied {
			copy(t.model(tick), manner)
			t.model(tick)[1] = byte(r.IntN(256))
		}
		for n := range usual {
			same := usual[n][r.IntN(2)]
			switch move := t.move(tick, n); {
			case quiet[n] < 0:
			case r.IntN(100) < quiet[n]:
				clear(move)
			case r.IntN(100) < varied:
			case r.IntN(4) == 0:
				if move.nearly(same, r); r.IntN(2) == 0 {
					// The same again, but from others or from nobody else.
					copy(move[:moveLen-1], same)
					move[moveLen-1] = byte(r.IntN(256))
				}
			default:
				copy(move, same)
			}
		}
	}
	return t
}

// mutated is a tape with some of its numbers changed, records copied to other ticks, or its
// script moved in time.
func (t Tape) mutated(r *rand.Rand) Tape {
	t = append(Tape{}, t...)
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			t[r.IntN(headLen+rulesMax*ruleLen)] = byte(r.IntN(256))
		case 1:
			t[headLen+rulesMax*ruleLen+r.IntN(ticksMax*tickLen)] = byte(r.IntN(256))
		case 2:
			from, to := int64(1+r.IntN(ticksMax)), int64(1+r.IntN(ticksMax))
			copy(t[tickAt(to):][:tickLen], t[tickAt(from):][:tickLen])
		case 3:
			n := r.IntN(attackers)
			from := int64(1 + r.IntN(ticksMax))
			to := int64(1 + r.IntN(ticksMax))
			if copy(t.move(to, n), t.move(from, n)); r.IntN(2) == 0 {
				t.move(to, n).nearly(t.move(from, n), r)
			}
		}
	}
	return t
}

// shrunk is a tape for which holds is still true, with as few nonzero numbers as
// possible. It tries whole ticks first, then records, then numbers.
func (t Tape) shrunk(holds func(Tape) bool) Tape {
	t = append(Tape{}, t...)
	for size := tickLen; size > 0; {
		smaller := false
		for at := 0; at < len(t); at += size {
			part := t[at:min(at+size, len(t))]
			if strings.Trim(string(part), "\x00") == "" {
				continue
			}
			before := append(Tape{}, part...)
			if clear(part); holds(t) {
				smaller = true
			} else {
				copy(part, before)
			}
		}
		if !smaller {
			size /= 3
		}
	}
	return t
}

// String writes down what is not 0, as place=number, for [ParseTape].
func (t Tape) String() string {
	var parts []string
	for i, n := range t {
		if n != 0 {
			parts = append(parts, fmt.Sprintf("%d=%d", i, n))
		}
	}
	return strings.Join(parts, ",")
}

// ParseTape reads what [Tape.String] writes.
func ParseTape(text string) (Tape, error) {
	t := make(Tape, tapeLen)
	if text == "" {
		return t, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		place, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		at, err := strconv.ParseUint(place, 10, 16)
		n, wrong := strconv.ParseUint(number, 10, 8)
		if err != nil || wrong != nil || at >= tapeLen {
			return nil, fmt.Errorf("%q is no place=number of a trial; places are 0 to %d, numbers 0 to 255", part, tapeLen-1)
		}
		t[at] = byte(n)
	}
	return t, nil
}
