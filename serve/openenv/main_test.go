package openenv

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a test leaves a goroutine: every session ends with its connection.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
