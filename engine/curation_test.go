package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/memory/playbook"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// curating answers requests to reflect with an insight and then with deltas.
func curating(deltas ...string) func(agent, stage string) string {
	return func(_, stage string) string {
		if stage == "reflect" {
			return `{"tags":[],"insights":[{"lesson":"Something.","section":"res","decisions":[1]}]}`
		}
		return `{"deltas":[` + strings.Join(deltas, ",") + `]}`
	}
}

// delta writes one proposal. The decisions are those of any tick there is; an agent
// has made some of them.
func delta(op, id, content, decisions string) string {
	return fmt.Sprintf(`{"op":%q,"id":%q,"section":"res","content":%s,"reason":"seen","decisions":[%s]}`, op, id, llmclient.Marshal(content), decisions)
}

const anyDecision = "1,2,3,4,5"

// learnt reads what an agent's playbook became.
func learnt(t *testing.T, dir, agent string) *playbook.Playbook {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, rundir.PlaybookDir, agent+".toml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := playbook.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusals counts the refused proposals of an agent by code.
func refusals(t *testing.T, dir, agent string) map[string]int {
	t.Helper()
	codes := map[string]int{}
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := record.(trace.Step); ok && s.Kind == trace.StepDelta && s.AgentID == agent && s.Status == trace.StatusError {
			codes[s.Code]++
		}
	}
	return codes
}

// TestProposalsAreJudgedOneByOne: of one batch, two additions to a section get ids of
// their own, a third that repeats one is no addition, an update keeps what it replaces,
// and a removal that nothing speaks for is refused.
func TestProposalsAreJudgedOneByOne(t *testing.T) {
	o := learningOptions(t, isolated, 5, stub.ModeNormal, curating(
		delta("add", "", "Charge up before a long journey begins.", anyDecision),
		delta("add", "", "Keep a reserve of compound for the next refinement.", anyDecision),
		delta("add", "", "Charge up before a long journey begins!", anyDecision),
		delta("update", "res-00001", "Do not wait: mine and refine first, then build the assembler.", anyDecision),
		delta("remove", "res-00002", "", anyDecision),
	))
	o.Playbook, o.PlaybookBullets = urgingBook, 3
	run(t, o)
	p := learnt(t, o.RunDir, "agent-1")
	contents := map[string]string{}
	for _, b := range p.Bullets() {
		contents[b.ID] = b.Content
	}
	if len(contents) != 4 || contents["res-00003"] == "" || contents["res-00004"] == "" || contents["res-00002"] == "" {
		t.Errorf("bullets %v; want both additions under ids of their own and nothing removed", contents)
	}
	before, err := p.At(1)
	if err != nil {
		t.Fatal(err)
	}
	old := before[slices.IndexFunc(before, func(b playbook.Bullet) bool { return b.ID == "res-00001" })]
	if old.Content == contents["res-00001"] || !strings.HasPrefix(old.Content, "Do not wait: mine, refine") {
		t.Errorf("version 1 has %q, now there is %q: the update must keep what it replaced", old.Content, contents["res-00001"])
	}
	codes := refusals(t, o.RunDir, "agent-1")
	if codes[string(playbook.Duplicate)] != 1 || codes[string(playbook.TooFewUses)]+codes[string(playbook.NotHarmful)] != 1 || len(codes) != 2 {
		t.Errorf("refused: %v; want the repetition and the removal", codes)
	}
}

// fullBook is at its limit of five: two lessons that failed, two that helped and one that
// was never used.
const fullBook = `format = 2
version = 1
last = 5
bullet = [
  {id = 'res-00001', helpful = 4, harmful = 0, neutral = 0, content = "Mine compound while the battery is full."},
  {id = 'res-00002', helpful = 0, harmful = 4, neutral = 0, content = "Wait until somebody brings hardware along."},
  {id = 'res-00003', helpful = 3, harmful = 1, neutral = 0, content = "Refine what was mined before travelling on."},
  {id = 'res-00004', helpful = 1, harmful = 3, neutral = 0, content = "Travel to the farthest fragment at once."},
  {id = 'res-00005', content = "Look at the market whenever prices have moved."},
]
`

// TestAFullPlaybookStaysWithinItsSize: eight additions to a full playbook leave five
// bullets, the same ones every time, and no lesson that helped makes room while one
// that failed stays.
func TestAFullPlaybookStaysWithinItsSize(t *testing.T) {
	subjects := []string{
		"Charge up before a long journey begins.", "Keep a reserve of compound in stock.", "Sell surplus electricity to a neighbour.",
		"Answer messages only after the work is done.", "Maintain the assembler when it wears out.", "Schedule two batches of motors together.",
		"Harvest radiation where emission is strongest.", "Cool down before harvesting once more.",
	}
	var deltas []string
	for _, content := range subjects {
		deltas = append(deltas, delta("add", "", content, anyDecision))
	}
	var files [][]byte
	for range 2 {
		o := learningOptions(t, isolated, 5, stub.ModeNormal, curating(deltas...))
		o.Playbook, o.PlaybookBullets, o.PlaybookSize, o.BaseURL = fullBook, 3, 5, "the same"
		run(t, o)
		p := learnt(t, o.RunDir, "agent-1")
		if n := len(p.Bullets()); n > 5 {
			t.Errorf("%d bullets, want at most 5", n)
		}
		for _, proven := range []string{"res-00001", "res-00003"} {
			if _, held := p.Bullet(proven); !held {
				t.Errorf("%s helped and is gone", proven)
			}
		}
		_, worst := p.Bullet("res-00002")
		_, unused := p.Bullet("res-00005")
		if worst && !unused {
			t.Error("an unused lesson made room before a harmful one")
		}
		if len(p.Bullets()) == 5 && worst {
			t.Error("nothing was added although a harmful lesson could make room")
		}
		data, err := os.ReadFile(filepath.Join(o.RunDir, rundir.PlaybookDir, "agent-1.toml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same run displaced other lessons")
	}
}
