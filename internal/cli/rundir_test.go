package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRunDirNames(t *testing.T) {
	for _, c := range []struct{ named, scenario, want string }{
		{"", "llm_bootstrap", ".tmp/runs/20310203T040506Z-llm_bootstrap-abcdef"},
		{"", "some/dir/my world!.toml", ".tmp/runs/20310203T040506Z-my_world_-abcdef"},
		{"", "../../etc/passwd", ".tmp/runs/20310203T040506Z-passwd-abcdef"},
		{"", strings.Repeat("x", 100), ".tmp/runs/20310203T040506Z-" + strings.Repeat("x", 40) + "-abcdef"},
		{"mine/run", "llm_bootstrap", "mine/run"},
	} {
		p := newProcess(t, nil)
		got, err := p.nameRunDir(c.named, c.scenario)
		if err != nil || got != filepath.FromSlash(c.want) {
			t.Errorf("nameRunDir(%q, %q) = %q, %v, want %q", c.named, c.scenario, got, err, c.want)
		}
	}
}

func TestRunDirsOfOneSecondDiffer(t *testing.T) {
	p := newProcess(t, nil)
	p.Random = bytes.NewReader([]byte{1, 2, 3, 4, 5, 6})
	first, err := p.nameRunDir("", "minimal")
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.nameRunDir("", "minimal")
	if err != nil || first == second {
		t.Errorf("two runs got %q and %q (%v)", first, second, err)
	}
}

func TestRunDirNeedsRandomness(t *testing.T) {
	p := newProcess(t, nil)
	p.Random = iotest.ErrReader(errors.New("no entropy"))
	if name, err := p.nameRunDir("", "minimal"); err == nil {
		t.Errorf("nameRunDir = %q without randomness, want an error", name)
	}
}
