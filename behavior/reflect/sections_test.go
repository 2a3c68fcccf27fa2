package reflect

import (
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/memory/playbook"
)

// TestOwnSectionsAreOffered in the tools, with their titles; without any the tools are as ever.
func TestOwnSectionsAreOffered(t *testing.T) {
	offered := func(own ...playbook.OwnSection) string {
		ask, _ := NewRuntime(behavior.Config{}, 1, own...).Begin(lived(), book(t), nil, 6, 1).Next()
		return string(ask.Request.Body())
	}
	if body := offered(playbook.OwnSection{Name: "deep", Title: "Deep mining"}); strings.Count(body, `"err","deep"]`) != 2 || !strings.Contains(body, "Sections besides the usual ones: deep Deep mining.") {
		t.Errorf("the request is %s", body)
	}
	if body := offered(); strings.Contains(body, "deep") || strings.Contains(body, "besides") {
		t.Errorf("the request without own sections is %s", body)
	}
}
