package world

import (
	"cmp"
	"errors"
	"fmt"
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

// Check reports the first inconsistency, naming its field. [New] refuses what it refuses.
// Later steps rely on earlier ones: goals name agents and places, stocks are
// bounded by the rules' capacity.
func (s Scenario) Check() error {
	for _, step := range []func() error{
		s.checkHead, s.Rules.check, s.checkPlaces, s.checkAgents, s.checkGoals, s.checkPolicy, s.checkTask, s.checkVary,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkHead checks names, texts, the extent and what agents see of it. Texts reach
// prompts, so their length is bounded here and not where they are shown.
func (s Scenario) checkHead() error {
	err := checkID("id", s.ID)
	for i, a := range s.Aliases {
		err = cmp.Or(err, checkID(fmt.Sprintf("aliases[%d]", i), a))
	}
	return cmp.Or(err, checkName("name", s.Name), checkText("text", s.Text, textMax), within([]valueRange{
		{"space.width_cm", s.Space.WidthCM, 1, spaceMaxCM},
		{"space.depth_cm", s.Space.DepthCM, 1, spaceMaxCM},
		{"space.height_cm", s.Space.HeightCM, 1, spaceMaxCM},
		{"visibility_km", s.VisibilityKM, 0, 10_000},
		{"places_shown", s.PlacesShown, 1, sightsMax},
		{"agents_shown", s.AgentsShown, 1, sightsMax},
	}))
}

// valueRange is the range of one number of a scenario.
type valueRange struct {
	name     string
	value    int64
	min, max int64
}

// within reports the first value outside its range.
func within(list []valueRange) error {
	for _, f := range list {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s: %d is outside %d to %d", f.name, f.value, f.min, f.max)
		}
	}
	return nil
}

// checkPlaces also demands that ids are unique, since actions name places by id, and that
// no listed place is named like a fragment. Emission and radius are bounded so that the
// radiation law stays within the 128 bits it is computed in.
func (s Scenario) checkPlaces() error {
	if len(s.Places) == 0 && s.Belt == nil || len(s.Places) > PlacesMax {
		return fmt.Errorf("places: %d places, want 1 to %d or a belt", len(s.Places), PlacesMax)
	}
	seen := map[string]bool{}
	for i, p := range s.Places {
		field := fmt.Sprintf("places[%d]", i)
		err := cmp.Or(checkID(field+".id", p.ID), checkName(field+".name", p.Name), checkMaterial(field, p.Material), within([]valueRange{
			{field + ".x_cm", p.Position.X, 0, s.Space.WidthCM},
			{field + ".y_cm", p.Position.Y, 0, s.Space.DepthCM},
			{field + ".z_cm", p.Position.Z, 0, s.Space.HeightCM},
			{field + ".radius_cm", p.RadiusCM, 1, radiusMaxCM},
			{field + ".emission", p.Emission, 0, emissionMax},
			{field + ".compound_g", p.CompoundG, 0, amountMax},
			{field + ".regen_g", p.RegenG, 0, regenMax},
		}))
		if err != nil {
			return err
		}
		if seen[p.ID] {
			return fmt.Errorf("%s.id: %s is used twice", field, p.ID)
		}
		seen[p.ID] = true
	}
	if s.Belt == nil {
		return nil
	}
	if err := s.Belt.check(s.Space, int64(len(s.Places))); err != nil {
		return err
	}
	for i, p := range s.Places {
		if _, taken := s.Belt.number(p.ID, s.Space); taken {
			return fmt.Errorf("places[%d].id: %s is a fragment of the belt", i, p.ID)
		}
	}
	return nil
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
	if err := within([]valueRange{{"agents.count", s.Agents.Count, 1, AgentsMax}}); err != nil {
		return err
	}
	if stride != 0 && (s.Belt == nil || len(s.Agents.Spawn) > 0) {
		return errors.New("agents.spawn_stride: needs a belt and no spawn places")
	}
	if err := within([]valueRange{{"agents.spawn_stride", stride, 0, FragmentsMax}}); err != nil {
		return err
	}
	if len(s.Agents.Spawn) == 0 && stride == 0 || len(s.Agents.Spawn) > listMax || len(s.Agents.Stock) > listMax {
		return fmt.Errorf("agents: want 1 to %d spawn places and at most %d stocks", listMax, listMax)
	}
	for i, id := range s.Agents.Spawn {
		if _, ok := s.placeNumber(id); !ok {
			return fmt.Errorf("agents.spawn[%d]: there is no place %q", i, id)
		}
	}
	for i, list := range s.Agents.Stock {
		field := fmt.Sprintf("agents.stock[%d]", i)
		seen := map[string]bool{}
		for _, a := range list {
			most := int64(amountMax)
			if a.Resource == Electricity {
				most = s.Rules.PowerCapacity
			}
			if _, ok := resourceNamed(a.Resource); !ok || seen[a.Resource] {
				return fmt.Errorf("%s: %q is no resource or listed twice", field, a.Resource)
			}
			seen[a.Resource] = true
			if err := within([]valueRange{{field + "." + a.Resource, a.Amount, 0, most}}); err != nil {
				return err
			}
		}
	}
	if len(s.Personas) > listMax {
		return fmt.Errorf("personas: %d, want at most %d", len(s.Personas), listMax)
	}
	for i, p := range s.Personas {
		field := fmt.Sprintf("personas[%d].", i)
		if err := cmp.Or(
			checkName(field+"name", p.Name), checkText(field+"text", p.Text, textMax),
			checkText(field+"short_term_goal", p.ShortTermGoal, textMax), checkText(field+"long_term_goal", p.LongTermGoal, textMax),
		); err != nil {
			return err
		}
	}
	return nil
}

// checkID accepts 1 to 64 letters, digits and the signs _ . : and -.
// Ids are used in prompts, URLs, file names and account names, so characters that any of
// these would have to escape are not allowed.
func checkID(field, id string) error {
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
