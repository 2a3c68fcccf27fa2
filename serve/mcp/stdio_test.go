package mcp

import (
	"io"
	"strings"
	"testing"
)

// until keeps what is written, and does something once a text was.
type until struct {
	strings.Builder
	text string
	then func()
}

// Write implements [io.Writer].
func (u *until) Write(p []byte) (int, error) {
	if strings.Contains(string(p), u.text) {
		defer u.then()
	}
	return u.Builder.Write(p)
}

// TestALineThatIsNoMessage: each is answered with why, and the session goes on to the next.
func TestALineThatIsNoMessage(t *testing.T) {
	s, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	sent := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``,
		`{`, "\x00\xff", `{}{}`, strings.Repeat("[", 20_000), `"` + strings.Repeat("x", messageBytesMax) + `"`,
		`[]`, `null`, `7`, `{}`, `{"jsonrpc":"1.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`,
		`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\r",
	}
	in, client := io.Pipe()
	go func() { _, _ = io.WriteString(client, strings.Join(sent, "\n")+"\n") }()
	out := &until{text: `"id":4`, then: func() { _ = client.Close() }}
	if err := s.Stdio(t.Context(), in, out); err != nil {
		t.Error(err)
	}
	for part, want := range map[string]int{
		`"id":1,"result"`: 1, `"id":4,"result":{}`: 1, `"id":null`: 12, `"code":-32700`: 4, "too long": 1,
		`"code":-32600`: 8,
	} {
		if got := strings.Count(out.String(), part); got != want {
			t.Errorf("%s is there %d times, want %d:\n%.3000s", part, got, want, out.String())
		}
	}
}
