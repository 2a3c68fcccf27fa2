package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
)

// The limits of a scenario.
const (
	// PlacesMax and AgentsMax bound the listed places and the agents of a world.
	PlacesMax = 2048
	AgentsMax = 100_000
	// spaceMaxCM is 1,000 km: squares of distances stay below 2^55.
	spaceMaxCM  = 100_000_000
	radiusMaxCM = 500_000
	emissionMax = 10_000
	idLengthMax = 64
	nameMax     = 80
	textMax     = 600
	goalsMax    = 1000
	listMax     = 1000
)

// Check joins the inconsistencies, each with the name of its field. [New] refuses what it
// refuses. What rests on something unsound is left out, since it would be wrong about that again:
// goals name agents and places, stocks are bounded by the rules' capacity.
func (s Scenario) Check() error {
	all := []error{s.checkHead(), s.checkVary()}
	base := errors.Join(s.Space.check(), s.Rules.check(), s.checkIndustry(), s.checkPlaces())
	if base == nil {
		base = s.checkAgents()
	}
	all = append(all, base)
	if base == nil {
		all = append(all, s.checkGoals(), s.checkDocuments(), s.checkTools(), s.checkPolicy(), s.checkTask())
	}
	return errors.Join(all...)
}

// wrongs are what is wrong with the fields of a scenario.
type wrongs []error

// when adds that a field is wrong if it is, with what is allowed.
func (w *wrongs) when(wrong bool, format string, args ...any) {
	if wrong {
		*w = append(*w, fmt.Errorf(format, args...))
	}
}

// checkHead checks names, texts and how much agents see. Texts reach prompts, so their length is
// bounded here and not where they are shown.
func (s Scenario) checkHead() error {
	err := checkID("id", s.ID)
	for i, a := range s.Aliases {
		err = errors.Join(err, checkID(fmt.Sprintf("aliases[%d]", i), a))
	}
	if s.PersonasFile != "" {
		err = errors.Join(err, fmt.Errorf("personas_file: %q is not read here; it is where the scenario is a file",
			cleanText(s.PersonasFile, nameMax)))
	}
	return errors.Join(err, checkName("name", s.Name), checkText("text", s.Text, textMax), within([]valueRange{
		{"visibility_km", s.VisibilityKM, 0, 10_000},
		{"places_shown", s.PlacesShown, 1, sightsMax},
		{"agents_shown", s.AgentsShown, 1, sightsMax},
	}))
}

// check joins an error for each side that is out of range.
func (s Space) check() error {
	return within([]valueRange{
		{"space.width_cm", s.WidthCM, 1, spaceMaxCM},
		{"space.depth_cm", s.DepthCM, 1, spaceMaxCM},
		{"space.height_cm", s.HeightCM, 1, spaceMaxCM},
	})
}

// valueRange is the range of one number of a scenario.
type valueRange struct {
	name     string
	value    int64
	min, max int64
}

// within joins an error for each value outside its range.
func within(list []valueRange) error {
	var all []error
	for _, f := range list {
		if f.value < f.min || f.value > f.max {
			all = append(all, fmt.Errorf("%s: %d is outside %d to %d", f.name, f.value, f.min, f.max))
		}
	}
	return errors.Join(all...)
}

// checkPlaces also demands that ids are unique, since actions name places by id, and that
// no listed place is named like a fragment. Emission and radius are bounded so that the
// radiation law stays within the 128 bits it is computed in.
func (s Scenario) checkPlaces() error {
	if len(s.Places) == 0 && s.Belt == nil || len(s.Places) > PlacesMax {
		return fmt.Errorf("places: %d places, want 1 to %d or a belt", len(s.Places), PlacesMax)
	}
	var all []error
	seen := map[string]bool{}
	for i, p := range s.Places {
		field := fmt.Sprintf("places[%d]", i)
		all = append(all, checkID(field+".id", p.ID), checkName(field+".name", p.Name), checkMaterial(field, p.Material),
			within([]valueRange{
				{field + ".x_cm", p.Position.X, 0, s.Space.WidthCM},
				{field + ".y_cm", p.Position.Y, 0, s.Space.DepthCM},
				{field + ".z_cm", p.Position.Z, 0, s.Space.HeightCM},
				{field + ".radius_cm", p.RadiusCM, 1, radiusMaxCM},
				{field + ".emission", p.Emission, 0, emissionMax},
				{field + ".compound_g", p.CompoundG, 0, amountMax},
				{field + ".regen_g", p.RegenG, 0, regenMax},
			}))
		if seen[p.ID] && p.ID != "" {
			all = append(all, fmt.Errorf("%s.id: %q is used twice", field, p.ID))
		}
		seen[p.ID] = true
	}
	if s.Belt == nil || s.Space.check() != nil { // a belt in such a space could overflow
		return errors.Join(all...)
	}
	if err := errors.Join(append(all, s.Belt.check(s.Space, int64(len(s.Places))))...); err != nil {
		return err
	}
	var taken wrongs
	for i, p := range s.Places {
		_, fragment := s.Belt.number(p.ID, s.Space)
		taken.when(fragment, "places[%d].id: %s is a fragment of the belt", i, p.ID)
	}
	return errors.Join(taken...)
}

// checkMaterial accepts one of [Materials].
func checkMaterial(field, name string) error {
	if !slices.Contains(Materials(), name) {
		return fmt.Errorf("%s.material: %q is none of %s", field, name, strings.Join(Materials(), ", "))
	}
	return nil
}

// checkAgents checks that every agent has a place to start at; a stride needs fragments to
// count. Starting stocks are bounded so that no balance can ever overflow, charges by what
// a battery holds.
func (s Scenario) checkAgents() error {
	stride := s.Agents.SpawnStride
	all := wrongs{within([]valueRange{{"agents.count", s.Agents.Count, 1, AgentsMax},
		{"agents.spawn_stride", stride, 0, FragmentsMax}})}
	all.when(stride != 0 && (s.Belt == nil || len(s.Agents.Spawn) > 0),
		"agents.spawn_stride: needs a belt and no spawn places")
	if len(s.Agents.Spawn) == 0 && stride == 0 || len(s.Agents.Spawn) > listMax || len(s.Agents.Stock) > listMax {
		return errors.Join(append(all,
			fmt.Errorf("agents: want 1 to %d spawn places and at most %d stocks", listMax, listMax))...)
	}
	for i, id := range s.Agents.Spawn {
		if _, ok := s.placeNumber(id); !ok {
			all = append(all, fmt.Errorf("agents.spawn[%d]: there is no place %q", i, id))
		}
	}
	in := s.Industry()
	for i, list := range s.Agents.Stock {
		field := fmt.Sprintf("agents.stock[%d]", i)
		seen := map[string]bool{}
		for _, a := range list {
			most := int64(amountMax)
			if a.Resource == Electricity {
				most = s.Rules.PowerCapacity
			}
			if _, ok := in.resource(a.Resource); !ok || seen[a.Resource] {
				all = append(all, fmt.Errorf("%s: %q is no resource or listed twice", field, a.Resource))
				continue
			}
			seen[a.Resource] = true
			all = append(all, within([]valueRange{{field + "." + a.Resource, a.Amount, 0, most}}))
		}
	}
	all.when(len(s.Agents.Seats) > listMax, "agents.seats: %d, want at most %d", len(s.Agents.Seats), listMax)
	for _, id := range slices.Sorted(maps.Keys(s.Agents.Seats)) {
		_, known := s.agentNumber(id)
		all.when(!known && id != Anyone, "agents.seats.%s: there is no such agent", id)
		all = append(all, checkIDPart("agents.seats."+id, s.Agents.Seats[id]))
	}
	if len(s.Personas) > listMax {
		return errors.Join(append(all, fmt.Errorf("personas: %d, want at most %d", len(s.Personas), listMax))...)
	}
	for i, p := range s.Personas {
		field := fmt.Sprintf("personas[%d]", i)
		all = append(all, p.Check(field))
	}
	return errors.Join(all...)
}

// Check joins what is wrong with the name and the texts of a persona, which is called field.
func (p Persona) Check(field string) error {
	return errors.Join(checkName(field+".name", p.Name), checkText(field+".text", p.Text, textMax),
		checkText(field+".short_term_goal", p.ShortTermGoal, textMax),
		checkText(field+".long_term_goal", p.LongTermGoal, textMax))
}

// checkID accepts 1 to 64 letters, digits and the signs _ . : and -.
// Ids are used in prompts, URLs, file names and account names, so characters that any of
// these would have to escape are not allowed, nor are names that no file can have.
func checkID(field, id string) error {
	if err := checkIDPart(field, id); err != nil {
		return err
	}
	if err := plaintext.FileName(id); err != nil {
		return fmt.Errorf("%s: %q: %w", field, id, err)
	}
	return nil
}

// checkIDPart is [checkID] for what an id begins with.
func checkIDPart(field, id string) error {
	if id == "" || len(id) > idLengthMax {
		return fmt.Errorf("%s: %q is not 1 to %d characters long", field, cleanText(id, idLengthMax), idLengthMax)
	}
	for _, c := range id {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-", c) {
			return fmt.Errorf("%s: %q has characters other than A-Z a-z 0-9 _ . : -", field, id)
		}
	}
	return nil
}

// checkName accepts one line of text without hidden characters, like the texts of
// agents: other agents see names.
func checkName(field, name string) error {
	if strings.ContainsFunc(name, plaintext.Hidden) {
		return fmt.Errorf("%s: has control characters", field)
	}
	return checkText(field, name, nameMax)
}

// checkText accepts valid UTF-8 of up to most characters.
func checkText(field, text string, most int) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > most {
		return fmt.Errorf("%s: is longer than %d characters or not valid text", field, most)
	}
	return nil
}
