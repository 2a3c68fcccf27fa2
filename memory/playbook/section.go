package playbook

import (
	"fmt"
	"strconv"
	"strings"
)

// Section is the subject of a bullet. It begins the bullet's id.
type Section string

// The sections, in the order a file lists them.
const (
	// Nav is movement and places.
	Nav Section = "nav"
	// Res is resources and energy.
	Res Section = "res"
	// Econ is trade.
	Econ Section = "econ"
	// Soc is other agents.
	Soc Section = "soc"
	// Haz is hazards.
	Haz Section = "haz"
	// Proto is the use of the protocol: modules, drafts, decisions.
	Proto Section = "proto"
	// Err is mistakes not to repeat.
	Err Section = "err"
)

// sectionNames are the headings of the sections.
var sectionNames = []struct {
	section Section
	title   string
}{
	{Nav, "Movement"}, {Res, "Resources and energy"}, {Econ, "Trade"}, {Soc, "Other agents"},
	{Haz, "Hazards"}, {Proto, "Protocol use"}, {Err, "Mistakes"},
}

// Sections returns all sections in the order a file lists them.
func Sections() []Section {
	all := make([]Section, len(sectionNames))
	for i, s := range sectionNames {
		all[i] = s.section
	}
	return all
}

// Title returns the section's heading for readers, and "" for an unknown section.
func (s Section) Title() string {
	for _, named := range sectionNames {
		if named.section == s {
			return named.title
		}
	}
	return ""
}

// known reports whether s is one of the sections.
func (s Section) known() bool { return s.Title() != "" }

// NumberMax is the highest number a bullet id may carry.
const NumberMax = 999_999_999

// numberWidth is the least digits of a number in an id, so that ids are easy to
// tell from anything else in a text.
const numberWidth = 5

// newID returns the id of a bullet: its section and its number.
func newID(section Section, number int) string {
	return fmt.Sprintf("%s-%0*d", section, numberWidth, number)
}

// splitID takes an id apart. Only the one spelling that newID gives is an id.
func splitID(id string) (section Section, number int, ok bool) {
	name, digits, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	section = Section(name)
	ok = err == nil && section.known() && number >= 1 && number <= NumberMax && newID(section, number) == id
	return section, number, ok
}
