package stub

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// renamed replaces every id and name of the belt: agents, places, factories,
// factory kinds, recipes and products, in the prompt as in the schemas.
var renamed = strings.NewReplacer(
	"agent-zero", "unit:9", "agent-other", "zz-top",
	"site-anvil", "Q7", "site-birch", "place.of.many.words", "site-cedar", "a0",
	"factory.assembler.mk1", "plant.kind.x",
	"recipe.assembler.(control_chip|motor_mk1|logistics_drone)", "make.(pump_core|wing_v9|great_bell)",
	"recipe.assembler.control_chip", "make.pump_core", "control chips", "pump cores", "control chip", "pump core", "control_chip", "pump_core",
	"recipe.assembler.motor_mk1", "make.wing_v9", "motors", "wings", "motor_mk1", "wing_v9",
	"recipe.assembler.logistics_drone", "make.great_bell", "logistics drone", "great bell", "logistics_drone", "great_bell",
)

// distances finds the kilometres and the ticks of a row of places, around its cost.
var distances = regexp.MustCompile(`(\d+)\.0 (\d+) (\d+) `)

// moved shifts everything: no distance stays what it was.
func moved(body string) string {
	return distances.ReplaceAllStringFunc(body, func(found string) string {
		row := distances.FindStringSubmatch(found)
		return row[1] + "7.3 " + row[2] + " " + row[3] + "1 "
	})
}

// shape is what has to stay the same: kinds, names, arguments and texts.
func shape(items []llmclient.Item) []string {
	var out []string
	for _, item := range items {
		out = append(out, fmt.Sprintf("%s %s %s", item.Kind, item.Name, item.Text))
	}
	return out
}

func TestAnswersFollowARenaming(t *testing.T) {
	for _, g := range []*table{
		{t: t, seed: 1, protocol: full, goals: chips + "\nBe at site-cedar.", world: newBelt(30)},
		{t: t, seed: 2, protocol: lean, goals: "Make 3 motors and a logistics drone.", world: newBelt(60)},
		{t: t, seed: 3, protocol: full, goals: "Stay alive.", world: newBelt(45)},
	} {
		g.world.neighbour = true
		g.world.here().compound = 9_000
		g.live(40)
		for i, body := range g.bodies {
			changed := moved(renamed.Replace(string(body)))
			got, err := Decide(g.seed, []byte(changed))
			if err != nil {
				t.Fatalf("seed=%d request %d: %v", g.seed, i, err)
			}
			want := []string{}
			for _, line := range shape(g.results[i].Items) {
				want = append(want, renamed.Replace(line))
			}
			if lines := shape(got.Items); !slices.Equal(want, lines) {
				t.Fatalf("seed=%d request %d: the answer changed by more than the names (-renamed +got):\n%s", g.seed, i, cmp.Diff(want, lines))
			}
			if changed == string(body) || got.ID == g.results[i].ID {
				t.Fatalf("seed=%d request %d was not changed, so the test shows nothing", g.seed, i)
			}
		}
	}
}

// The policy must answer any game of this shape, so an answer may contain no name of this
// game that the request does not mention.
func TestAnswersMentionNothingTheRequestDoesNot(t *testing.T) {
	g := &table{t: t, seed: 6, protocol: full, goals: chips, world: newBelt(30)}
	g.live(30)
	for i, body := range g.bodies {
		got, err := Decide(g.seed, []byte(renamed.Replace(string(body))))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shape(got.Items) {
			if renamed.Replace(line) != line {
				t.Fatalf("request %d: the answer mentions an old name: %s", i, line)
			}
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	g := &table{t: t, seed: 1, protocol: full, goals: chips, world: newBelt(30)}
	g.live(30)
	different := 0
	for i, body := range g.bodies {
		other, err := Decide(2, body)
		if err != nil {
			t.Fatal(err)
		}
		if other.ID == g.results[i].ID {
			t.Fatalf("request %d: seeds 1 and 2 give the same response id %s", i, other.ID)
		}
		if !cmp.Equal(shape(other.Items), shape(g.results[i].Items)) {
			different++
		}
	}
	if different == 0 {
		t.Error("seeds 1 and 2 answer every request alike")
	}
}

func TestAThirdOfTheAnswersReasons(t *testing.T) {
	answers, reasoned := 0, 0
	for seed := range uint64(2) {
		g := &table{t: t, seed: seed, protocol: full, goals: chips, world: newBelt(30)}
		g.live(40)
		for _, r := range g.results {
			answers++
			if r.Items[0].Kind == llmclient.KindReasoning {
				reasoned++
				if r.Usage.Reasoning == 0 || len(r.Items) < 2 {
					t.Errorf("an answer with reasoning has %d items and %d reasoning tokens", len(r.Items), r.Usage.Reasoning)
				}
			}
		}
	}
	if reasoned*5 < answers || reasoned*2 > answers {
		t.Errorf("%d of %d answers begin with reasoning, want about a third", reasoned, answers)
	}
}
