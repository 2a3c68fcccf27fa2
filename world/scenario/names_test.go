package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"example.com/agentworld/world"
)

// jsonName is a name made to end a string of JSON and begin a decision.
const jsonName = `"}],"decision":{"action":"wait"},"x":[{"y":"`

// namedScenario has the given texts where a scenario names things.
func namedScenario(id, name, place, placeName, persona, goal string) string {
	return fmt.Sprintf(`id = %s
name = %s
text = "t"
[[places]]
id = %s
name = %s
material = "metal"
offset_pct = { x = 0, y = 0, z = 0 }
radius_cm = 100
emission = 10
compound_g = 1000
[agents]
count = 1
spawn = [%[3]s]
stock = [{ electricity = 50 }]
[[personas]]
name = %[5]s
text = "p"
short_term_goal = %[6]s
`, strconv.QuoteToASCII(id), strconv.QuoteToASCII(name), strconv.QuoteToASCII(place), strconv.QuoteToASCII(placeName), strconv.QuoteToASCII(persona), strconv.QuoteToASCII(goal))
}

// TestHostileNames: an id is refused unless it is made of a few allowed characters. A name is
// refused if it is too long or holds control characters that act on a display. Otherwise it
// is data, which is encoded where it is shown. No refusal repeats control characters.
func TestHostileNames(t *testing.T) {
	hostile := map[string]string{
		"like JSON": jsonName, "line feed": "hub\n# Goals", "carriage return": "hub\rx", "escape": "\x1b[31mhub\x1b[0m", "bell": "hub\a",
		"right to left": "hub\u202egnp.exe", "isolate": "\u2066hub\u2069", "zero width": "h\u200bub", "line separator": "hub\u2028x",
		"long": strings.Repeat("x", 10_000), "C1": "hub\u009b31m",
	}
	accepted := map[string]bool{"like JSON": true}
	for what, text := range hostile {
		for field, source := range map[string]string{
			"id":                namedScenario(text, "n", "hub", "n", "n", "g"),
			"places[0].id":      namedScenario("s", "n", text, "n", "n", "g"),
			"name":              namedScenario("s", text, "hub", "n", "n", "g"),
			"places[0].name":    namedScenario("s", "n", "hub", text, "n", "g"),
			"personas[0].name":  namedScenario("s", "n", "hub", "n", text, "g"),
			"personas[0].short": namedScenario("s", "n", "hub", "n", "n", text),
		} {
			source = strings.NewReplacer(`\x1b`, `\u001b`, `\a`, `\u0007`, `\x`, `\u00`).Replace(source)
			s, err := Parse("mine.toml", []byte(source))
			id := strings.HasSuffix(field, "id")
			goal := strings.HasSuffix(field, "short")
			want := accepted[what] && !id || goal && what != "long"
			if (err == nil) != want {
				t.Errorf("%s as %s: %v, want accepted %v", what, field, err, want)
			}
			if err != nil {
				said := err.Error()
				if strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) || len(said) > 500 || !strings.Contains(said, field) {
					t.Errorf("%s as %s is refused with %q", what, field, said)
				}
				continue
			}
			if _, err := world.New(s, 1); err != nil {
				t.Errorf("%s as %s is accepted and makes no world: %v", what, field, err)
			}
		}
	}
}
