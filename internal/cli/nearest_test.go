package cli

import (
	"strings"
	"testing"
)

func TestOfferedNames(t *testing.T) {
	if got := offered("agent-9", []string{"agent-1", "agent-2"}); got != "allowed: agent-1, agent-2" {
		t.Error(got)
	}
	if got := offered("agnet-2", []string{"agent-1", "agent-2"}); !strings.HasPrefix(got, `did you mean "agent-2"? `) {
		t.Error(got)
	}
}
