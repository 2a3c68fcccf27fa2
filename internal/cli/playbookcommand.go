package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// playbookCommand works on playbooks as files.
func playbookCommand(m *Main) *cobra.Command {
	// on is a command that takes one file.
	on := func(use, short string, do func(name string, p *playbook.Playbook) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: oneArgument("a playbook file"),
			RunE: func(_ *cobra.Command, args []string) error {
				p, _, err := m.readPlaybook(args[0], false)
				if err != nil {
					return err
				}
				return do(args[0], p)
			}}
	}
	version := -1
	to := -1
	asJSON := false
	show := on("show FILE", "print the lessons of a playbook with their worth",
		func(_ string, p *playbook.Playbook) error { return showPlaybook(m, p, version) })
	show.Flags().IntVar(&version, "version", version, "an older version in place of the newest")
	stats := on("stats FILE", "count the lessons of a playbook by what is known about their worth",
		func(_ string, p *playbook.Playbook) error {
			s := p.Stats()
			if asJSON {
				return m.printJSON(s)
			}
			var sections []string
			for _, count := range s.Sections {
				sections = append(sections, fmt.Sprintf("%s %d", count.Section, count.Bullets))
			}
			plaintext.Fprintf(m.Stdout,
				"version   %d, back to %d\nlessons   %d, %d characters (%s)\nuses      helpful %d, harmful %d, neutral "+
					"%d\nworth     high performing %d, problematic %d, unused %d\n",
				s.Version, p.Oldest(), s.Bullets, s.Chars, strings.Join(sections, ", "), s.Helpful, s.Harmful, s.Neutral,
				s.HighPerforming, s.Problematic, s.Unused)
			return nil
		})
	stats.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	rollback := on("rollback FILE --to N", "make an older version of a playbook the newest",
		func(name string, p *playbook.Playbook) error {
			return rollbackPlaybook(m, name, p, to)
		})
	rollback.Flags().IntVar(&to, "to", to, "the version to go back to")
	diff := &cobra.Command{
		Use:   "diff FILE V1 V2 | diff FILE FILE",
		Short: "show which lessons differ between two versions, or between two files",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 && len(args) != 3 {
				return badInput("%s needs a file and two versions, or two files, and got %s", commandPath(c),
					plaintext.Count(len(args), "argument"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return diffPlaybooks(m, args) },
	}
	return group("playbook", "look at lessons, learn from finished runs, go back to older versions",
		playbookLearnCommand(m), show, diff, stats, rollback)
}

// showPlaybook lists lessons section by section, of the newest version where another is
// not asked for.
func showPlaybook(m *Main, p *playbook.Playbook, version int) error {
	if version < 0 {
		version = p.Version()
	}
	bullets, err := p.At(version)
	if err != nil {
		return badInput("%v", err)
	}
	var b strings.Builder
	plaintext.Fprintf(&b, "version %d, %s\n", version, plaintext.Count(len(bullets), "lesson"))
	for _, section := range p.Sections() {
		headed := false
		for _, bullet := range bullets {
			if bullet.Section != section {
				continue
			}
			if !headed {
				plaintext.Fprintf(&b, "\n%s\n", p.Title(section))
				headed = true
			}
			plaintext.Fprintf(&b, "  %s  helpful %d, harmful %d, neutral %d, %s, trust %s\n    %s\n", bullet.ID, bullet.Helpful,
				bullet.Harmful, bullet.Neutral,
				bullet.Origin, bullet.Trust, bullet.Content)
		}
	}
	return m.print(b.String())
}

// diffPlaybooks lists what is gone, what is new and what changed, in the order of ids,
// between two versions of a file or two files.
func diffPlaybooks(m *Main, args []string) error {
	p, _, err := m.readPlaybook(args[0], false)
	if err != nil {
		return err
	}
	sides := [2][]playbook.Bullet{p.Bullets()}
	if len(args) == 2 {
		other, _, err := m.readPlaybook(args[1], false)
		if err != nil {
			return err
		}
		sides[1] = other.Bullets()
	} else {
		for i, text := range args[1:] {
			version, err := strconv.Atoi(text)
			if err != nil {
				return badInput("%s is not a version; allowed: %d to %d", shown(text), p.Oldest(), p.Version())
			}
			sides[i], err = p.At(version)
			if err != nil {
				return badInput("%v", err)
			}
		}
	}
	var b strings.Builder
	for _, d := range playbook.Diff(sides[0], sides[1]) {
		old, now := d.Before, d.After
		switch {
		case now == nil:
			plaintext.Fprintf(&b, "- [%s] %s\n", d.ID, old.Content)
			continue
		case old == nil:
			plaintext.Fprintf(&b, "+ [%s] %s\n", d.ID, now.Content)
			continue
		case old.Content != now.Content:
			plaintext.Fprintf(&b, "~ [%s] %s\n  was: %s\n", d.ID, now.Content, old.Content)
		}
		if old.Helpful != now.Helpful || old.Harmful != now.Harmful || old.Neutral != now.Neutral {
			plaintext.Fprintf(&b, "# [%s] helpful %d to %d, harmful %d to %d, neutral %d to %d\n", d.ID, old.Helpful,
				now.Helpful, old.Harmful, now.Harmful, old.Neutral, now.Neutral)
		}
	}
	if b.Len() == 0 {
		b.WriteString("no difference\n")
	}
	return m.print(b.String())
}

// rollbackPlaybook writes the file with the lessons of an older version as the newest.
func rollbackPlaybook(m *Main, name string, p *playbook.Playbook, to int) error {
	if to < 0 {
		return badInput("rollback needs --to N; allowed: %d to %d", p.Oldest(), p.Version())
	}
	// The tick of the change is that of the newest version: files know no clock.
	tick := int64(0)
	for _, v := range p.History() {
		tick = v.Tick
	}
	next, err := p.Rollback(to, tick)
	if err != nil {
		return badInput("%v", err)
	}
	if next == p {
		plaintext.Fprintf(m.Stdout, "version %d has the lessons of version %d already; nothing changed\n", p.Version(), to)
		return nil
	}
	if err := engine.WritePlaybook(m.path(name), next); err != nil {
		return err
	}
	plaintext.Fprintf(m.Stdout, "version %d has the lessons of version %d again: %s\n", next.Version(), to,
		plaintext.Count(next.Len(), "lesson"))
	return nil
}

// outputPlaybook prepares the file that lessons go into.
func (fl *files) outputPlaybook(name string) (outputFile, error) {
	if err := notStdout(aPlaybook, name); err != nil {
		return outputFile{}, err
	}
	return fl.output("the playbook ", name, keptPath{what: aPlaybook, path: fl.path(name), owned: true})
}

// readPlaybook reads a file of lessons, with its bytes. One that may be new need not
// exist; it is empty then and has no bytes. Errors name the file, and the line when it
// cannot be understood, and are bad input.
func (fl *files) readPlaybook(name string, mayBeNew bool) (*playbook.Playbook, []byte, error) {
	data, err := run.ReadRegular(fl.path(name), playbook.BytesMax)
	switch {
	case errors.Is(err, fs.ErrNotExist) && mayBeNew:
		return playbook.New(), nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, badInput(
			"there is no playbook %s; allowed: an existing file; a run that learns makes a new one (--learn-every)", shown(name))
	case err != nil:
		return nil, nil, badInput("the playbook %s cannot be read: %w", shown(name), cause(err))
	}
	if err := run.CheckPlaybook(data); err != nil {
		return nil, nil, badInput("the playbook %s: %w", shown(name), err)
	}
	p, err := playbook.Parse(data)
	if syntax, ok := errors.AsType[*playbook.SyntaxError](err); ok {
		return nil, nil, badInput("%s:%d: %s", name, syntax.Line, syntax.Problem)
	}
	if err != nil {
		return nil, nil, badInput("the playbook %s: %w", shown(name), err)
	}
	return p, data, nil
}
