package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

// ownIndustry follows the first two lines of the sound scenario.
const ownIndustry = `products = ["plate", "gear"]

[[factory_kinds]]
id = "mill"
cost = { hardware = 3, plate = 1 }
ticks = 2

[[recipes]]
id = "plate"
factory_kind = "factory.assembler.mk1"
inputs = { hardware = 1, electricity = 3 }
outputs = { plate = 2 }
ticks = 1

[[recipes]]
id = "gear"
factory_kind = "factory.mill"
inputs = { plate = 1, compound = 200 }
outputs = { gear = 1, data = 1 }
ticks = 4
`

// withIndustry is the sound scenario with an industry of its own, of which one thing is replaced.
func withIndustry(old, by string) string {
	head, rest, _ := strings.Cut(soundScenario, "\n\n")
	return head + "\n" + strings.Replace(ownIndustry, old, by, 1) + "\n" + rest
}

// TestOwnIndustryFollowsTheBuiltInOne: what a file adds comes after what is built in, with its amounts in the
// order of resources.
func TestOwnIndustryFollowsTheBuiltInOne(t *testing.T) {
	s, err := Parse("own.toml", []byte(withIndustry("", "")))
	if err != nil {
		t.Fatal(err)
	}
	in, built := s.Industry(), world.DefaultRules().Industry()
	if diff := cmp.Diff(append(built.Resources, "plate", "gear"), in.Resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	kind := in.Kinds[len(built.Kinds)]
	if kind.Name != "factory.mill" || kind.Ticks != 2 || kind.Cost[1] != (world.Amount{Resource: "plate", Amount: 1}) {
		t.Errorf("the kind is %+v", kind)
	}
	own := in.Recipes[len(built.Recipes):]
	want := []world.Amount{{Resource: world.Electricity, Amount: 3}, {Resource: world.Hardware, Amount: 1}}
	if len(own) != 2 || own[0].ID != "recipe.plate" || !cmp.Equal(own[0].Inputs, want) {
		t.Errorf("the recipes are %+v", own)
	}
}

// TestOwnIndustryIsChecked: each thing that is wrong is refused with its line.
func TestOwnIndustryIsChecked(t *testing.T) {
	for _, c := range []struct{ old, by, want string }{
		{`"gear"]`, `"gear", "Gear"]`, `f.toml:3: products[2]: "Gear" is not 1 to 32 of a-z 0-9 _`},
		{`"gear"]`, `"gear", "` + strings.Repeat("g", 33) + `"]`, `is not 1 to 32 of`},
		{`"gear"]`, `"gear", "plate"]`, `products[2]: there is a resource "plate" already`},
		{`"gear"]`, `"gear", "data"]`, `products[2]: there is a resource "data" already`},
		{`"gear"]`, `"gear", "chip"]`, `products[2]: "chip" is another word for control_chip`},
		{`"gear"]`, `"gear", "heat"]`, `products[2]: "heat" means something else`},
		{`"gear"]`, `"gear", "` + strings.Join(strings.Split("abcdefghijklmno", ""), `", "`) + `"]`, `products: 17, want at most 16`},
		{`id = "mill"`, `id = "mill.mk2"`, `f.toml:6: factory_kinds[0].id: "mill.mk2" is not 1 to 32`},
		{`plate = 1 }`, `bolt = 1 }`, `factory_kinds[0].cost: "bolt" is no resource; allowed: electricity`},
		{`plate = 1 }`, `plate = 0 }`, `factory_kinds[0].cost.plate: 0 is outside 1 to 1000000`},
		{`hardware = 3, plate`, `electricity = 101, plate`, `cost: 101 electricity is more than a battery holds (rules.power_capacity is 100)`},
		{`ticks = 2`, `ticks = 0`, `factory_kinds[0].ticks: 0 is outside 1 to 1000`},
		{`id = "gear"`, `id = "plate"`, `recipes[1].id: there is a recipe "recipe.plate" already`},
		{`id = "gear"`, `id = "maintenance"`, `recipes[1].id: there is a recipe "recipe.maintenance" already`},
		{`id = "gear"`, `id = "control_chip"`, `recipes[1].id: there is a recipe "recipe.control_chip" already`},
		{`"factory.mill"`, `"mill"`, `recipes[1].factory_kind: "mill" is no kind of factory that runs recipes; allowed: factory.assembler.mk1,`},
		{`"factory.mill"`, `"factory.power.radiation.mk1"`, `is no kind of factory that runs recipes`},
		{`inputs = { plate = 1, compound = 200 }`, `inputs = {}`, `recipes[1].inputs: it takes nothing`},
		{`{ gear = 1, data = 1 }`, `{}`, `recipes[1].outputs: it makes nothing`},
		{`{ gear = 1, data = 1 }`, `{ hardware = 1 }`, `recipes[1].outputs: no recipe makes hardware`},
		{`{ gear = 1, data = 1 }`, `{ plate = 1 }`, `recipes[1].outputs: plate is made of itself`},
		{`inputs = { hardware = 1, electricity = 3 }`, `inputs = { gear = 1 }`, `recipes[0].outputs: plate is made of itself`},
		{`gear = 1, data`, `gear = 1001, data`, `recipes[1].outputs.gear: 1001 is outside 1 to 1000`},
		{`ticks = 4`, `tick = 4`, `unknown field "recipes.tick"`},
	} {
		_, err := Parse("f.toml", []byte(withIndustry(c.old, c.by)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.by, err, c.want)
		}
	}
	// Recipes that name a kind by what it was to be called are no further fault.
	_, err := Parse("f.toml", []byte(withIndustry(`id = "mill"`, `id = "Mill"`)))
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a kind with a wrong name alone: %v", err)
	}
}

// TestOwnNamesInGoalsTasksStocksAndRules: what a file adds may be named wherever the built-in names may.
func TestOwnNamesInGoalsTasksStocksAndRules(t *testing.T) {
	text := withIndustry("", "")
	for old, by := range map[string]string{
		`electricity = 3, data = 4`: `electricity = 3, gear = 4`, `"place:there"`: `"made:gear"`,
	} {
		text = strings.Replace(text, old, by, 1)
	}
	text += "\n[[policy]]\nagent = \"*\"\naction = \"schedule_recipe\"\nwhat = \"recipe.gear\"\n" +
		"[[policy]]\nagent = \"*\"\naction = \"transfer_resource\"\nwhat = \"plate\"\nmost = 3\n" +
		"[task]\nfamily = \"production\"\nticks = 50\nmetric = \"held:plate\"\n"
	s, err := Parse("own.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(s, 1)
	if err != nil || w.Stock(0)[1] != (world.Amount{Resource: "gear", Amount: 4}) {
		t.Errorf("%v, %v", w.Stock(0), err)
	}
	for _, wrong := range []string{"event:goal_met", "event:gear", "made:compound", "made:bolt"} {
		if _, err := Parse("f.toml", []byte(strings.Replace(text, "made:gear", wrong, 1))); err == nil {
			t.Errorf("a goal of %s is accepted", wrong)
		}
	}
}
