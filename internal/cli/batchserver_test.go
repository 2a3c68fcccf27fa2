package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/extension/jetstream"
)

// TestEmbeddedServerRefusals refuses a store that another process has, and an address that is taken,
// each with what helps against it, and at once.
func TestEmbeddedServerRefusals(t *testing.T) {
	dir := t.TempDir()
	server, err := jetstream.Serve(t.Context(), jetstream.ServerOptions{Dir: filepath.Join(dir, "held"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(0)
	text := "name = \"b\"\nscenarios = [\"minimal\"]\nseeds = \"1\"\n[settings.run]\nticks = 1\n"
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, listen, want, not string }{
		{"held", "127.0.0.1:0", "worker with the address that it printed", "continues it"},
		{"own", server.Addr(), "--nats-listen with a free address", "continues it"},
	} {
		p := newProcess(t, nil, "batch", "run", "b.toml", "--dir", c.dir, "--nats-listen", c.listen)
		p.dir, p.Getwd = dir, func() (string, error) { return dir, nil }
		if code := p.run(t); code != exitBadInput || !strings.Contains(p.output(), c.want) || strings.Contains(p.output(), c.not) {
			t.Errorf("%s: exit code %d: %s", c.dir, code, p.output())
		}
	}
}
