package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/engine"
	"example.com/agentworld/memory/playbook"
)

// playbookCommand works on playbooks as files.
func (m *Main) playbookCommand() *cobra.Command {
	return group("playbook", "look at lessons, learn from finished runs, go back to older versions",
		m.playbookLearnCommand(), m.playbookShowCommand(), m.playbookDiffCommand(), m.playbookStatsCommand(), m.playbookRollbackCommand())
}

func (m *Main) playbookShowCommand() *cobra.Command {
	version := -1
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "print the lessons of a playbook with their worth",
		Args:  oneArgument("a playbook file"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, _, err := m.readPlaybook(args[0], false)
			if err != nil {
				return err
			}
			at := p.Version()
			if version >= 0 {
				at = version
			}
			bullets, err := p.At(at)
			if err != nil {
				return badInput("%v", err)
			}
			_, err = fmt.Fprint(m.Stdout, bulletsText(at, bullets))
			return err
		},
	}
	c.Flags().IntVar(&version, "version", version, "an older version in place of the newest")
	return c
}

// bulletsText lists lessons section by section.
func bulletsText(version int, bullets []playbook.Bullet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d, %d lessons\n", version, len(bullets))
	for _, section := range playbook.Sections() {
		headed := false
		for _, bullet := range bullets {
			if bullet.Section != section {
				continue
			}
			if !headed {
				fmt.Fprintf(&b, "\n%s\n", section.Title())
				headed = true
			}
			fmt.Fprintf(&b, "  %s  helpful %d, harmful %d, neutral %d, %s, trust %s\n    %s\n", bullet.ID, bullet.Helpful, bullet.Harmful, bullet.Neutral,
				bullet.Origin, bullet.Trust, oneLine(bullet.Content))
		}
	}
	return b.String()
}

func (m *Main) playbookStatsCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "stats FILE",
		Short: "count the lessons of a playbook by what is known about their worth",
		Args:  oneArgument("a playbook file"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, _, err := m.readPlaybook(args[0], false)
			if err != nil {
				return err
			}
			if asJSON {
				return m.printJSON(p.Stats())
			}
			s := p.Stats()
			var sections []string
			for _, count := range s.Sections {
				sections = append(sections, fmt.Sprintf("%s %d", count.Section, count.Bullets))
			}
			_, err = fmt.Fprintf(m.Stdout, "version   %d, back to %d\nlessons   %d, %d characters (%s)\nuses      helpful %d, harmful %d, neutral %d\nworth     high performing %d, problematic %d, unused %d\n",
				s.Version, p.Oldest(), s.Bullets, s.Chars, strings.Join(sections, ", "), s.Helpful, s.Harmful, s.Neutral, s.HighPerforming, s.Problematic, s.Unused)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (m *Main) playbookDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff FILE V1 V2 | diff FILE FILE",
		Short: "show which lessons differ between two versions, or between two files",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 && len(args) != 3 {
				return badInput("%s needs a file and two versions, or two files, and got %d arguments", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			before, after, err := m.diffSides(args)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(m.Stdout, diffText(before, after))
			return err
		},
	}
}

// diffSides are the lessons that are compared.
func (m *Main) diffSides(args []string) (before, after []playbook.Bullet, err error) {
	p, _, err := m.readPlaybook(args[0], false)
	if err != nil {
		return nil, nil, err
	}
	if len(args) == 2 {
		other, _, err := m.readPlaybook(args[1], false)
		if err != nil {
			return nil, nil, err
		}
		return p.Bullets(), other.Bullets(), nil
	}
	var sides [2][]playbook.Bullet
	for i, text := range args[1:] {
		version, err := strconv.Atoi(text)
		if err != nil {
			return nil, nil, badInput("%s is not a version; allowed: %d to %d", shown(text), p.Oldest(), p.Version())
		}
		if sides[i], err = p.At(version); err != nil {
			return nil, nil, badInput("%v", err)
		}
	}
	return sides[0], sides[1], nil
}

// diffText lists what is gone, what is new and what changed, in the order of ids.
func diffText(before, after []playbook.Bullet) string {
	var b strings.Builder
	for _, d := range playbook.Diff(before, after) {
		old, now := d.Before, d.After
		switch {
		case now == nil:
			fmt.Fprintf(&b, "- [%s] %s\n", d.ID, oneLine(old.Content))
			continue
		case old == nil:
			fmt.Fprintf(&b, "+ [%s] %s\n", d.ID, oneLine(now.Content))
			continue
		case old.Content != now.Content:
			fmt.Fprintf(&b, "~ [%s] %s\n  was: %s\n", d.ID, oneLine(now.Content), oneLine(old.Content))
		}
		if old.Helpful != now.Helpful || old.Harmful != now.Harmful || old.Neutral != now.Neutral {
			fmt.Fprintf(&b, "# [%s] helpful %d to %d, harmful %d to %d, neutral %d to %d\n", d.ID, old.Helpful, now.Helpful, old.Harmful, now.Harmful, old.Neutral, now.Neutral)
		}
	}
	if b.Len() == 0 {
		return "no difference\n"
	}
	return b.String()
}

func (m *Main) playbookRollbackCommand() *cobra.Command {
	to := -1
	c := &cobra.Command{
		Use:   "rollback FILE --to N",
		Short: "make an older version of a playbook the newest",
		Args:  oneArgument("a playbook file"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, _, err := m.readPlaybook(args[0], false)
			if err != nil {
				return err
			}
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
				fmt.Fprintf(m.Stdout, "version %d has the lessons of version %d already; nothing changed\n", p.Version(), to)
				return nil
			}
			if err := engine.WritePlaybook(m.path(args[0]), next); err != nil {
				return err
			}
			fmt.Fprintf(m.Stdout, "version %d has the lessons of version %d again: %d lessons\n", next.Version(), to, next.Len())
			return nil
		},
	}
	c.Flags().IntVar(&to, "to", to, "the version to go back to")
	return c
}
