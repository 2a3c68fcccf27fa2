package playbook

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGoldenFile(t *testing.T) {
	const name = "testdata/storied.md"
	p, _ := storied(t)
	got := string(p.Encode())
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
	reread, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(got, string(reread.Encode())); d != "" {
		t.Errorf("written again (-want +got):\n%s", d)
	}
}

func TestEmptyPlaybookRoundTrip(t *testing.T) {
	p, err := Parse(New().Encode())
	if err != nil || p.Len() != 0 || p.Version() != 0 {
		t.Errorf("an empty playbook reads back as %+v, %v", p, err)
	}
}

func TestHandEdits(t *testing.T) {
	p, err := Parse([]byte("\ufeff# playbook 1\r\n\r\n## haz\r\n[haz-00007]   ::  风暴来临前离开矿区回到基地 \r\n" +
		"> my own remark\n## nav  whatever\n\n[nav-00003] trust=rules helpful=2 :: Recharge\tbefore a journey\n evidence tick=3 agent=agent-1 run=r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"[nav-00003] Recharge before a journey +2-0=0",
		"[haz-00007] 风暴来临前离开矿区回到基地 +0-0=0",
	}
	if d := diff(want, lines(p)); d != "" {
		t.Errorf("bullets (-want +got):\n%s", d)
	}
	b, _ := p.Bullet("haz-00007")
	if b.Origin != Manual || b.Trust.String() != "self_observation" || p.last != 7 {
		t.Errorf("a bare bullet has origin %s and trust %v, last is %d", b.Origin, b.Trust, p.last)
	}
}

func TestHandEditsOfAStoriedFile(t *testing.T) {
	p, versions := storied(t)
	var kept []string
	for _, line := range strings.Split(string(p.Encode()), "\n") {
		switch {
		case strings.HasPrefix(line, "[nav-00002]"): // gone by hand, like its evidence
		case strings.HasPrefix(line, "[nav-00004]"):
			kept = append(kept, "[nav-00004] :: Say what you have found near the relay")
		default:
			kept = append(kept, line)
		}
	}
	edited, err := Parse([]byte(strings.Join(kept, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if _, held := edited.Bullet("nav-00002"); held {
		t.Error("a bullet deleted by hand is still there")
	}
	first, err := edited.At(1)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(versions[1], first); d != "" {
		t.Errorf("version 1 after edits by hand (-want +got):\n%s", d)
	}
	again, err := Parse(edited.Encode())
	if err != nil || string(again.Encode()) != string(edited.Encode()) {
		t.Errorf("an edited file does not settle: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "# playbook 1\nversion=2 last=3\n## nav\n"
	const bullet = "[nav-00001] :: Recharge before a journey\n"
	const history = head + bullet + "## history\n"
	for _, c := range []struct{ file, want string }{
		{"", `line 1: the file is empty; it begins with "# playbook 1"`},
		{"\n# playbook 2\n", `line 2: the file begins with "# playbook 1", not with "# playbook 2"`},
		{"# playbook 1\nversion=x\n", `line 2: version="x" is not a whole number from 0 to 999999999`},
		{"# playbook 1\nlast=-1\n", `line 2: last="-1" is not a whole number from 0 to 999999999`},
		{"# playbook 1\nversoin=1\n", `line 2: unknown attribute "versoin"; allowed: version, last, and a text after "::"`},
		{"# playbook 1\n" + bullet, `line 2: a bullet stands under the heading of its section, such as "## nav"`},
		{"# playbook 1\n## navi\n", `line 2: unknown section "navi"; allowed: nav, res, econ, soc, haz, proto, err, history`},
		{head + "[nav-1] :: Recharge before a journey", `line 4: "nav-1" is not the id of a bullet; one looks like [nav-00012]`},
		{head + "[res-00001] :: Recharge before a journey", "line 4: the bullet res-00001 stands under the heading of nav"},
		{head + bullet + "## res\n[res-00001] :: Recharge after a journey", "line 6: the number of res-00001 is taken by the bullet in line 4"},
		{head + "[nav-00001] :: short", `line 4: the content after "::" has 5 characters; allowed: 10 to 400`},
		{head + "[nav-00001] Recharge before a journey", `line 4: unknown attribute "Recharge"; allowed: helpful, harmful, neutral, origin, trust, created, updated, parents, and a text after "::"`},
		{head + "[nav-00001] helpful=many :: Recharge before a journey", `line 4: helpful="many" is not a whole number from 0 to 999999999`},
		{head + "[nav-00001] trust=full :: Recharge before a journey", `line 4: unknown trust="full"; allowed: tool_error, other_agent, derived, self_observation, rules`},
		{head + "[nav-00001] origin=me :: Recharge before a journey", `line 4: unknown origin="me"; allowed: reflection, seed, manual`},
		{head + "[nav-00001] created=7 :: Recharge before a journey", `line 4: created="7" is not a stamp; one looks like 7@120, version@tick`},
		{head + "evidence run=a", `line 4: "evidence" belongs under a bullet`},
		{head + bullet + "proof run=a", `line 5: "proof" does not begin a line; allowed here: a bullet [nav-00012], evidence, credited, ##, >`},
		{head + bullet + `evidence run="a`, "line 5: the value of run is a quoted text without an end"},
		{head + bullet + "evidence run=a :: text", "line 5: evidence has no text of its own"},
		{head + bullet + "credited 12", `line 5: "12" is not the fingerprint of a decision: 16 digits 0-9 a-f`},
		{head + bullet + strings.Repeat("evidence run=a tick=1\nevidence run=b\nevidence run=c\n", 1) +
			"evidence run=1\nevidence run=2\nevidence run=3\nevidence run=4\nevidence run=5\nevidence run=6\n", "line 13: more than 8 entries of evidence"},
		{history + "change op=add id=nav-00001", `line 6: the history begins with a line version=..., not with "change"`},
		{history + "version=3 tick=1", "line 6: the history goes down by one from version=2; this is version 3, not 2"},
		{history + "version=2 tick=1\nversion=2 tick=1", "line 7: the history goes down by one from version=2; this is version 2, not 1"},
		{history + "version=2\nwas :: Recharge before a journey", `line 7: "was" belongs under a change`},
		{history + "version=2\nchange op=grow id=nav-00001", `line 7: unknown change op="grow"; allowed: tag, remove, update, add, merge, displace, restore`},
		{history + "version=2\nchange op=tag id=nav-00001 tag=good", `line 7: unknown tag="good"; allowed: helpful, harmful, neutral`},
		{history + "version=2\nchange op=tag id=nav", `line 7: "nav" is not the id of a bullet; one looks like id=nav-00012`},
		{history + "version=2\nchange op=tag id=nav-00001 tag=helpful", `line 7: the change op=tag lacks its line "was"`},
		{history + "version=2\nchange op=tag id=nav-00001\ngained evidence=1", `line 8: a change has one line "was", and what was lost and gained after it`},
		{head + "[nav-00001] :: Recharge \xff before", "line 4: the line is not valid UTF-8"},
	} {
		_, err := Parse([]byte(c.file))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("Parse(%q) = %v, want %s", c.file, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	p, _ := storied(f)
	f.Add(p.Encode())
	f.Add(New().Encode())
	f.Add([]byte("# playbook 1\nversion=1\n## nav\n[nav-00001] parents=\"a b\" :: Recharge before a journey\n evidence run=\"\\u0000\" tick=1\n## history\nversion=1\nchange op=tag id=nav-00001\nwas :: Recharge before\ngained evidence=9"))
	f.Add([]byte("# playbook 1\n## 矿\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		encoded := p.Encode()
		again, err := Parse(encoded)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, encoded)
		}
		if string(again.Encode()) != string(encoded) {
			t.Fatalf("written again it differs:\n%s", diff(string(encoded), string(again.Encode())))
		}
		for version := p.Oldest(); version <= p.version; version++ {
			a, errA := p.At(version)
			b, errB := again.At(version)
			if d := diff(a, b); d != "" || errA != nil || errB != nil {
				t.Fatalf("version %d differs after the file: %v %v\n%s", version, errA, errB, d)
			}
		}
	})
}
