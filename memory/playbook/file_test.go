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
	const name = "testdata/storied.toml"
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
	p, err := Parse([]byte("\ufeff# my own remark\r\nformat = 2\r\n\r\n[[bullet]]\r\nid = \"haz-00007\"\r\ncontent = \"  风暴来临前离开矿区回到基地 \"\r\n" +
		"[[bullet]]\ncontent='Recharge\tbefore a journey'\nid='nav-00003'\ntrust='rules'\nhelpful=2\nevidence=[{tick=3,agent='agent-1',run='r'}]\n"))
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
	for table := range strings.SplitSeq(string(p.Encode()), "\n\n") {
		switch {
		case strings.HasPrefix(table, "[[bullet]]\nid = 'nav-00002'"): // gone by hand, like its evidence
		case strings.HasPrefix(table, "[[bullet]]\nid = 'nav-00004'"):
			kept = append(kept, "[[bullet]]\nid = 'nav-00004'\ncontent = 'Say what you have found near the relay'")
		default:
			kept = append(kept, table)
		}
	}
	edited, err := Parse([]byte(strings.Join(kept, "\n\n")))
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
	const head = "format = 2\nversion = 2\n"
	const bullet = "[[bullet]]\nid = 'nav-00001'\ncontent = 'Recharge before a journey'\n"
	const history = head + bullet + "[[history]]\nversion = 2\n"
	const change = history + "[[history.change]]\n"
	for _, c := range []struct{ file, want string }{
		{"", `line 1: the file has format = 0, 0 if none is stated; allowed: format = 2`},
		{"\nformat = 3\n", `line 2: the file has format = 3, 0 if none is stated; allowed: format = 2`},
		{"# playbook 1\nversion=1 last=1\n", `line 1: the file has the format of an older version, playbook 1; this version reads format = 2. Its lessons can be taken over as tables [[bullet]], each with an id and a content`},
		{"format = 2\nversion = x\n", `line 2: unexpected character U+0078 'x' at start of value`},
		{"format = 2\nversion = -1\n", `line 2: version = -1 and last = 0 are not from 0 to 999999999`},
		{"format = 2\nversion = '1'\n", `line 2: version: cannot be a TOML string`},
		{"format = 2\nversoin = 1\n", `line 2: unknown key "versoin"; allowed: format, version, last, section, bullet, history`},
		{head + "[[bullet]]\nid = 'nav-1'\n", `line 3: "nav-1" is not the id of a bullet; one looks like "nav-00012", and begins with nav, res, econ, soc, haz, proto, err, or with the name of a table [[section]]`},
		{head + "[[bullet]]\nid = 'navi-00001'\n", `line 3: "navi-00001" is not the id of a bullet; one looks like "nav-00012", and begins with nav, res, econ, soc, haz, proto, err, or with the name of a table [[section]]`},
		{head + bullet + "[[bullet]]\nid = 'res-00001'\n", "line 6: the number of res-00001 is taken by another bullet"},
		{head + "[[bullet]]\nid = 'nav-00001'\ncontent = 'short'\n", `line 3: the content of nav-00001 has 5 characters; allowed: 10 to 400`},
		{head + bullet + "helpfull = 1\n", `line 6: unknown key "helpfull"; allowed: id, content, helpful, harmful, neutral, created and updated {version, tick}, origin, trust, evidence {run, tick, agent, outcome, givers}, parents, credited`},
		{head + bullet + "helpful = 'many'\n", `line 6: bullet.helpful: cannot be a TOML string`},
		{head + bullet + "helpful = -1\n", `line 3: nav-00001 has the number -1; allowed: 0 to 999999999`},
		{head + bullet + "trust = 'full'\n", `line 3: unknown trust = "full"; allowed: tool_error, other_agent, derived, self_observation, rules`},
		{head + bullet + "origin = 'me'\n", `line 3: unknown origin = "me"; allowed: reflection, seed, manual`},
		{head + bullet + "created = {version = 1, at = 2}\n", `line 6: unknown key "at"; allowed: id, content, helpful, harmful, neutral, created and updated {version, tick}, origin, trust, evidence {run, tick, agent, outcome, givers}, parents, credited`},
		{head + bullet + "credited = ['12']\n", `line 6: bullet.credited: "12" is not the fingerprint of a decision: 16 digits 0-9 a-f`},
		{head + bullet + "evidence = [{}, {}, {}, {}, {}, {}, {}, {}, {}]\n", "line 3: nav-00001 has too many entries; allowed: 8 of evidence, 64 credited, 16 parents"},
		{head + "[[history]]\nversion = 3\n", "line 3: the history goes down by one from version = 2; this is version 3, not 2"},
		{history + "[[history]]\nversion = 2\n", "line 8: the history goes down by one from version = 2; this is version 2, not 1"},
		{change + "op = 'grow'\nid = 'nav-00001'\n", `line 8: unknown op = "grow"; allowed: tag, remove, update, add, merge, displace, restore`},
		{change + "op = 'tag'\nid = 'nav-00001'\ntag = 'good'\n", `line 8: unknown tag = "good"; allowed: helpful, harmful, neutral`},
		{change + "op = 'tag'\nid = 'nav'\n", `line 8: "nav" is not the id of a bullet; one looks like "nav-00012"`},
		{change + "op = 'add'\nid = 'nav-00001'\n[[history.change]]\nop = 'tag'\nid = 'nav-00001'\n", `line 11: the change with op = "tag" lacks what the bullet was`},
		{change + "was = {id = 'nav-00001', contents = 'x'}\n", `line 9: unknown key "contents"; allowed: op, id, tag, reason, evidence {run, tick, agent, outcome, givers}, was {the keys of a bullet}, gained {evidence, credited}`},
		{head + "[[bullet]]\ncontent = 'Recharge \xff before'\n", "line 4: invalid UTF-8 character in literal string"},
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
	f.Add([]byte("format=2\nversion=1\n[[bullet]]\nid='nav-00001'\nparents=['a b']\ncontent='Recharge before a journey'\nevidence=[{run=\"\\u0000\",tick=1}]\n[[history]]\nversion=1\n[[history.change]]\nop='tag'\nid='nav-00001'\nwas={content='Recharge before'}\ngained={evidence=9}\n"))
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
