package playbook

// Stats counts the bullets of a playbook by what is known about their worth.
type Stats struct {
	Version int `json:"version"`
	Bullets int `json:"bullets"`
	// Chars is the length of all contents in characters.
	Chars int `json:"chars"`
	// Sections counts the bullets of each section, in the order of [Sections].
	Sections []SectionCount `json:"sections"`
	// Helpful, Harmful and Neutral are the sums of the counts of all bullets.
	Helpful int `json:"helpful"`
	Harmful int `json:"harmful"`
	Neutral int `json:"neutral"`
	// HighPerforming counts bullets with Helpful > 5 and Harmful < 2.
	HighPerforming int `json:"high_performing"`
	// Problematic counts bullets with Harmful >= Helpful > 0.
	Problematic int `json:"problematic"`
	// Unused counts bullets without any use.
	Unused int `json:"unused"`
}

// SectionCount is how many bullets a section has.
type SectionCount struct {
	Section Section `json:"section"`
	Bullets int     `json:"bullets"`
}

// Stats counts the bullets.
func (p *Playbook) Stats() Stats {
	s := Stats{Version: p.version, Bullets: len(p.bullets), Chars: chars(p.bullets)}
	for _, section := range Sections() {
		s.Sections = append(s.Sections, SectionCount{Section: section})
	}
	for _, b := range p.bullets {
		for i := range s.Sections {
			if s.Sections[i].Section == b.Section {
				s.Sections[i].Bullets++
			}
		}
		s.Helpful += b.Helpful
		s.Harmful += b.Harmful
		s.Neutral += b.Neutral
		if b.Helpful > 5 && b.Harmful < 2 {
			s.HighPerforming++
		}
		if b.Harmful >= b.Helpful && b.Helpful > 0 {
			s.Problematic++
		}
		if b.Uses() == 0 {
			s.Unused++
		}
	}
	return s
}
