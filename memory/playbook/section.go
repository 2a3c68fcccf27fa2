package playbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
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

// Sections returns the built-in sections in the order a file lists them. A playbook may have more,
// see [Playbook.Sections].
func Sections() []Section {
	all := make([]Section, len(sectionNames))
	for i, s := range sectionNames {
		all[i] = s.section
	}
	return all
}

// Title returns the heading of a built-in section for readers, and "" for any other.
func (s Section) Title() string {
	for _, named := range sectionNames {
		if named.section == s {
			return named.title
		}
	}
	return ""
}

// OwnSection is a section that a playbook adds to the built-in ones.
type OwnSection struct {
	// Name begins the ids of its bullets: 2 to 5 of a-z, none of a built-in section or of another
	// kind of source.
	Name Section `toml:"name"`
	// Title is its heading for readers, 1 to 60 characters in one line.
	Title string `toml:"title"`
}

// OwnSectionsMax bounds the sections that a playbook adds.
const OwnSectionsMax = 20

// ownTitleMax bounds the title of one.
const ownTitleMax = 60

// reserved begin the ids of other sources.
var reserved = []Section{"mem", "doc", "msg", "note", "req", "offer", "said", "obs", "dry", "rules"}

// problem says what is wrong with the section after those before it, empty for nothing.
func (s OwnSection) problem(before []OwnSection) string {
	switch n := utf8.RuneCountInString(s.Title); {
	case !s.Name.formed() || s.Name.Title() != "" || slices.Contains(reserved, s.Name):
		return fmt.Sprintf("%s is no name of a section of one's own; allowed: 2 to 5 of a-z, and none of %s, %s",
			brief(string(s.Name)), allowed(Sections()), allowed(reserved))
	case slices.ContainsFunc(before, func(o OwnSection) bool { return o.Name == s.Name }):
		return fmt.Sprintf("the section %s is there twice", s.Name)
	case n < 1 || n > ownTitleMax || plaintext.Line(s.Title) != s.Title:
		return fmt.Sprintf("the title of %s is not one line of 1 to %d characters", s.Name, ownTitleMax)
	}
	return ""
}

// formed reports whether s has the form of a section's name.
func (s Section) formed() bool {
	return len(s) >= 2 && len(s) <= 5 && strings.Trim(string(s), "abcdefghijklmnopqrstuvwxyz") == ""
}

// Sections returns the sections of the playbook, the built-in ones first.
func (p *Playbook) Sections() []Section {
	all := Sections()
	for _, own := range p.sections {
		all = append(all, own.Name)
	}
	return all
}

// OwnSections returns those that the playbook adds.
func (p *Playbook) OwnSections() []OwnSection { return slices.Clone(p.sections) }

// Title returns the heading of a section of the playbook, "" for none of its sections.
func (p *Playbook) Title(s Section) string {
	for _, own := range p.sections {
		if own.Name == s {
			return own.Title
		}
	}
	return s.Title()
}

// NumberMax is the highest number a bullet id may carry.
const NumberMax = 999_999_999

// numberWidth is the least digits of a number in an id, so that ids are easy to
// tell from anything else in a text.
const numberWidth = 5

// newID returns the id of a bullet: its section and its number.
func newID(section Section, number int) string {
	return fmt.Sprintf("%s-%0*d", section, numberWidth, number)
}

// splitID takes an id apart, of a section that exists or not. Only the one spelling that newID
// gives is an id.
func splitID(id string) (section Section, number int, ok bool) {
	name, digits, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	section = Section(name)
	ok = err == nil && section.formed() && number >= 1 && number <= NumberMax && newID(section, number) == id
	return section, number, ok
}
