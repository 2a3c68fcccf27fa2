// Package scenario reads scenarios: from the TOML of a file, and from the files that are
// built in. [world.Scenario] defines what a scenario is and what makes it sound.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/world"
)

// The file types add to those of package world what a file writes in another shape than
// the kernel needs: positions relative to the centre, tables in no fixed order. Pointers
// tell absent fields from zero ones where the default is not zero.

// scenarioFile is the whole file.
type scenarioFile struct {
	world.Scenario
	Seed   int64       `toml:"seed"`
	Places []placeFile `toml:"places"`
	Agents agentsFile  `toml:"agents"`
	// FactoryKinds and Recipes are the scenario's own kinds of factory and recipes, beside the
	// built-in ones. Agents know them as factory.ID and recipe.ID.
	FactoryKinds []kindFile   `toml:"factory_kinds"`
	Recipes      []recipeFile `toml:"recipes"`
}

// kindFile is one [[factory_kinds]] table.
type kindFile struct {
	// ID is 1 to 32 of a-z 0-9 _; agents know the kind as factory.ID.
	ID string `toml:"id"`
	// Cost is what a factory takes, per resource 1 to 1,000,000.
	Cost map[string]int64 `toml:"cost"`
	// Ticks is how long construction takes, 1 to 1,000.
	Ticks int64 `toml:"ticks"`
}

// recipeFile is one [[recipes]] table.
type recipeFile struct {
	// ID is 1 to 32 of a-z 0-9 _; agents know the recipe as recipe.ID.
	ID string `toml:"id"`
	// FactoryKind is the kind of factory that runs it, such as factory.assembler.mk1 or factory.ID for
	// one of the file.
	FactoryKind string `toml:"factory_kind"`
	// Inputs are what a batch takes, per resource 1 to 1,000,000.
	Inputs map[string]int64 `toml:"inputs"`
	// Outputs are what a batch yields, per resource 1 to 1,000: hardware, data and products.
	Outputs map[string]int64 `toml:"outputs"`
	// Ticks is the duration of one batch, 1 to 1,000.
	Ticks int64 `toml:"ticks"`
}

// placeFile is one [[places]] table: a position is either absolute or an offset.
type placeFile struct {
	world.Place
	// XCM, YCM and ZCM are the position; give all three or offset_pct.
	XCM *int64 `toml:"x_cm"`
	YCM *int64 `toml:"y_cm"`
	ZCM *int64 `toml:"z_cm"`
	// Offset is the position relative to the centre.
	Offset   *offsetFile `toml:"offset_pct"`
	RadiusCM *int64      `toml:"radius_cm"`
	Charted  *bool       `toml:"charted"`
}

// offsetFile places a site relative to the centre, in percent of the extent.
type offsetFile struct {
	// X, Y and Z are in percent of the extent, -50 to 50.
	X int64 `toml:"x"`
	Y int64 `toml:"y"`
	Z int64 `toml:"z"`
}

// agentsFile is the [agents] table.
type agentsFile struct {
	world.AgentPlan
	Stock []map[string]int64 `toml:"stock"`
}

// defaultRadiusCM is the radius of a place that states none.
const defaultRadiusCM = 100

// BytesMax bounds the text of a scenario, valuesMax its keys and values. One with as much
// of everything as there can be stays below half of them.
const (
	BytesMax  = 16 << 20
	valuesMax = 200_000
)

// Parse reads a scenario from TOML. Unknown fields and bad values are
// errors: "name:line: ..." where the text itself is wrong, and "name: field: ..."
// where a well-formed value is inconsistent. The name only serves messages.
func Parse(name string, data []byte) (world.Scenario, error) {
	file := scenarioFile{Scenario: world.Scenario{
		VisibilityKM: 10, PlacesShown: 8, AgentsShown: 8,
		Space: world.Space{WidthCM: 10_000_000, DepthCM: 10_000_000, HeightCM: 1_000_000},
		Rules: world.DefaultRules(),
	}}
	if err := document.DecodeTOML(data, document.Limits{Bytes: BytesMax, Values: valuesMax}, &file); err != nil {
		bad, _ := errors.AsType[*document.Error](err)
		return world.Scenario{}, unread(name, data, file, bad)
	}
	s, err := file.scenario()
	err = errors.Join(withoutFollowing(err, s, false), checkZeroLimits(data))
	if err == nil {
		err = errors.Join(s.Check(), s.CheckTexts())
	}
	if err != nil {
		return world.Scenario{}, Placed(name, data, err)
	}
	return s, nil
}

// unread joins all that is wrong with a text of which some values cannot be read. Of the others it
// tells what is wrong as far as the text states it: a value that is missing may be one of those.
func unread(name string, data []byte, file scenarioFile, bad *document.Error) error {
	type found struct {
		line int
		text string
	}
	var all []found
	readable, lines := true, document.Lines(data)
	told := map[int]bool{}
	for _, one := range append([]*document.Error{bad}, bad.Others...) {
		text := one.Text()
		if one.Unknown {
			text += "; " + offered(one.Key[len(one.Key)-1], one.Allowed)
		}
		all, told[one.Line] = append(all, found{one.Line, text}), true
		readable = readable && (one.Unknown || one.Type)
	}
	if readable {
		s, lost := file.scenario()
		list := each(withoutFollowing(lost, s, productsIn(bad)))
		// What was lost in a field is not missing from it.
		inField := func(of error) func(error) bool {
			return func(one error) bool { return fieldOf(one) == fieldOf(of) }
		}
		for _, one := range each(s.Check()) {
			if !slices.ContainsFunc(each(lost), inField(one)) {
				list = append(list, one)
			}
		}
		for _, one := range list {
			if line := lines[fieldOf(one)]; line > 0 && !told[line] {
				all = append(all, found{line, one.Error()})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.line, b.line) })
	var list []error
	for _, f := range all {
		list = append(list, fmt.Errorf("%s:%d: %s", name, f.line, f.text))
	}
	return errors.Join(list...)
}

// fieldOf is the field that an error begins with.
func fieldOf(err error) string {
	field, _, _ := strings.Cut(err.Error(), ": ")
	return field
}

// noResource says that a text names a resource that there is not.
type noResource struct{ text string }

func (e noResource) Error() string { return e.text }

// productsIn says that the products of a scenario could not be read, or are under a mistyped name.
func productsIn(bad *document.Error) bool {
	return slices.ContainsFunc(append([]*document.Error{bad}, bad.Others...), func(one *document.Error) bool {
		return len(one.Key) == 1 && (one.Key[0] == productsKey || document.Nearest(one.Key[0], one.Allowed) == productsKey)
	})
}

// productsKey is the key of the products of a scenario.
const productsKey = "products"

// withoutFollowing are the errors of making a scenario with those of its products, or without what follows from
// these: that something is no resource. unread says that the products are not known.
func withoutFollowing(err error, s world.Scenario, unread bool) error {
	if err == nil {
		return nil
	}
	list := each(err)
	for _, one := range each(s.Check()) {
		if strings.HasPrefix(one.Error(), productsKey) {
			list = append(list, one)
			unread = true
		}
	}
	if unread {
		list = slices.DeleteFunc(list, func(one error) bool { return errors.As(one, new(noResource)) })
	}
	return errors.Join(list...)
}

// Placed adds to each of the errors that err joins the file, called name, and the line of the field
// that it begins with, as far as that field is in the file. It is nil if err is.
func Placed(name string, data []byte, err error) error {
	if err == nil {
		return nil
	}
	all := each(err)
	if more := len(all) - errorsMost; more > 0 {
		all = append(all[:errorsMost], fmt.Errorf("and %d more", more))
	}
	lines := document.Lines(data)
	for i, one := range all {
		field, _, _ := strings.Cut(one.Error(), ": ")
		for field != "" && lines[field] == 0 {
			field = field[:max(strings.LastIndexAny(field, ".["), 0)]
		}
		all[i] = fmt.Errorf("%s: %w", name, one)
		if field != "" {
			all[i] = fmt.Errorf("%s:%d: %w", name, lines[field], one)
		}
	}
	return errors.Join(all...)
}

// errorsMost bounds how many errors are told of one scenario.
const errorsMost = 20

// each lists the errors that err joins, and those that they join.
func each(err error) (all []error) {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, one := range joined.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// offered says which names are allowed in place of a word, and which of them is near.
func offered(word string, names []string) string {
	text := "allowed: " + strings.Join(names, ", ")
	if near := document.Nearest(word, names); near != "" {
		text = fmt.Sprintf("did you mean %q? ", near) + text
	}
	return text
}

// checkZeroLimits refuses a limit of 0 that the text states. In a [world.PolicyRule] 0 is no
// limit, but an author who writes 0 means the opposite. The decoded rules do not show
// whether a 0 was stated or the limit left out.
func checkZeroLimits(data []byte) error {
	var stated struct {
		Policy []map[string]any `toml:"policy"`
	}
	if err := toml.Unmarshal(data, &stated); err != nil {
		return err
	}
	var all []error
	for i, c := range stated.Policy {
		for _, limit := range []string{"most", "total", "total_each", "window", "get_at_least", "per"} {
			if c[limit] == int64(0) {
				all = append(all, fmt.Errorf(
					"policy[%d].%s: 0 is no limit; allowed: from 1, or an effect of forbid to allow nothing", i, limit))
			}
		}
	}
	return errors.Join(all...)
}

// scenario converts the file into the scenario it describes, unchecked except
// for what would be lost in the conversion.
// Everything else is left to [world.Scenario.Check], which scenarios made in code pass
// through as well.
func (f scenarioFile) scenario() (world.Scenario, error) {
	var all []error
	if f.Seed < 0 {
		all = append(all, fmt.Errorf("seed: %d is negative", f.Seed))
	}
	s := f.Scenario
	s.Seed, s.Agents = uint64(f.Seed), f.Agents.AgentPlan
	for i := range s.Policy {
		s.Policy[i] = s.Policy[i].WithDefaults()
	}
	for i, d := range s.Documents {
		s.Documents[i].Name = cmp.Or(d.Name, d.Path)
	}
	if s.Task != nil {
		s.Task.From = cmp.Or(s.Task.From, 1)
	}
	for i, p := range f.Places {
		place, err := p.place(s.Space)
		if err != nil {
			all = append(all, fmt.Errorf("places[%d]: %w", i, err))
		}
		s.Places = append(s.Places, place)
	}
	if b := s.Belt; b != nil {
		b.IDPrefix = cmp.Or(b.IDPrefix, "frag")
		// A fragment of twice the radius is eight times as rare.
		b.RadiusExponent = cmp.Or(b.RadiusExponent, 3)
	}
	// amounts lists a table in the fixed order of resources, because a TOML table has none.
	resources := slices.Concat(world.Resources(), s.Products)
	amounts := func(m map[string]int64, field string) (list []world.Amount) {
		for _, name := range resources {
			if n, ok := m[name]; ok {
				list = append(list, world.Amount{Resource: name, Amount: n})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(resources, name) {
				all = append(all, noResource{fmt.Sprintf("%s: %q is no resource; %s", field, name, offered(name, resources))})
			}
		}
		return list
	}
	for i, k := range f.FactoryKinds {
		s.FactoryKinds = append(s.FactoryKinds, world.FactoryKind{
			Name: world.KindPrefix + k.ID, Cost: amounts(k.Cost, fmt.Sprintf("factory_kinds[%d].cost", i)), Ticks: k.Ticks,
		})
	}
	for i, r := range f.Recipes {
		id := world.RecipePrefix + r.ID
		s.Recipes = append(s.Recipes, world.Recipe{
			ID: id, Alias: id, FactoryKind: r.FactoryKind, Ticks: r.Ticks,
			Inputs:  amounts(r.Inputs, fmt.Sprintf("recipes[%d].inputs", i)),
			Outputs: amounts(r.Outputs, fmt.Sprintf("recipes[%d].outputs", i)),
		})
	}
	for i, m := range f.Agents.Stock {
		s.Agents.Stock = append(s.Agents.Stock, amounts(m, fmt.Sprintf("agents.stock[%d]", i)))
	}
	return s, errors.Join(all...)
}

// place fills in the defaults of a place. An offset of 50 percent is the edge of the space.
func (p placeFile) place(space world.Space) (world.Place, error) {
	place := p.Place
	place.RadiusCM, place.Charted = defaultRadiusCM, p.Charted == nil || *p.Charted
	if p.RadiusCM != nil {
		place.RadiusCM = *p.RadiusCM
	}
	absolute := p.XCM != nil && p.YCM != nil && p.ZCM != nil
	if absolute == (p.Offset != nil) {
		return place, errors.New("offset_pct: give either x_cm, y_cm and z_cm or offset_pct")
	}
	if absolute {
		place.Position = world.Position{X: *p.XCM, Y: *p.YCM, Z: *p.ZCM}
		return place, nil
	}
	for _, axis := range []struct {
		pct, extent int64
		to          *int64
	}{
		{p.Offset.X, space.WidthCM, &place.Position.X},
		{p.Offset.Y, space.DepthCM, &place.Position.Y},
		{p.Offset.Z, space.HeightCM, &place.Position.Z},
	} {
		if axis.pct < -50 || axis.pct > 50 {
			return place, fmt.Errorf("offset_pct: %d is outside -50 to 50", axis.pct)
		}
		*axis.to = axis.extent/2 + axis.extent*axis.pct/100
	}
	return place, nil
}
