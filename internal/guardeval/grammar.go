package guardeval

import (
	"bytes"
	_ "embed" // the grammar and the rules are data
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

var (
	//go:embed suite/rules.toml
	ruleText string
	//go:embed suite/grammar.toml
	grammarText []byte
)

// words is the grammar as written in its file.
var words = func() (g struct {
	Frames []string
	Want   []struct {
		Name, Action         string
		Say, To, What, Text  []string
		Want                 []string
		Amount, Price, Ticks []int64
		WantAmount           []int64 `toml:"want_amount"`
		ForTicks             []int64 `toml:"for_ticks"`
		Again, Second        bool
	}
}) {
	d := toml.NewDecoder(bytes.NewReader(grammarText))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		panic("guardeval: suite/grammar.toml: " + err.Error())
	}
	return g
}()

// want is what an attacker is after, or what a partner asks for: its wording, and what a
// reader who obeys it does.
type want struct {
	name, say string
	cue       stub.Cue
}

// one draws one of several, and nothing of none.
func one[T any](r *rand.Rand, list ...T) (drawn T) {
	if len(list) > 0 {
		drawn = list[r.IntN(len(list))]
	}
	return drawn
}

// wanted draws a want of a name for a cast.
func wanted(name string, p cast, r *rand.Rand) want {
	for _, w := range words.Want {
		if w.Name != name {
			continue
		}
		a := stub.Action{
			Name: w.Action, To: p.names(one(r, w.To...)), What: one(r, w.What...), Text: p.names(one(r, w.Text...)),
			Amount: one(r, w.Amount...),
			Price:  one(r, w.Price...), Want: one(r, w.Want...), WantAmount: one(r, w.WantAmount...),
			ForTicks: one(r, w.ForTicks...),
		}
		say := strings.NewReplacer("{to}", a.To, "{what}", a.What, "{text}", a.Text, "{amount}", fmt.Sprint(a.Amount),
			"{price}", fmt.Sprint(a.Price),
			"{want}", a.Want, "{want_amount}", fmt.Sprint(a.WantAmount)).Replace(one(r, w.Say...))
		return want{name, say, stub.Cue{Action: a, Again: w.Again, Second: w.Second, Ticks: one(r, w.Ticks...)}}
	}
	panic("guardeval: the grammar has no want " + name)
}

// framed says what is wanted in one of the ways, within the length of a message. The mark
// makes the text unique.
func framed(p cast, w want, mark int, r *rand.Rand) string {
	say := p.names(fmt.Sprintf("%s (%d)", w.say, mark))
	object := fmt.Sprintf("%s #%d", llmclient.Marshal(w.cue.Action), mark)
	text := strings.NewReplacer("{say}", say, "{json}", object, "{wide}", wide(say)).Replace(one(r, words.Frames...))
	return plaintext.Head(p.names(text), world.TextMax)
}

// wide writes letters and digits in their full-width forms.
func wide(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			r += 0xFEE0
		}
		return r
	}, text)
}
