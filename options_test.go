package agentworld_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"example.com/agentworld"
)

// TestWaitsAreTold: a user's program hears of a long wait when it begins.
func TestWaitsAreTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan time.Duration, 100)
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks, settings.Model, settings.BaseURL = 1, "m", server.URL
	result, err := agentworld.Run(ctx, agentworld.Options{
		Settings: settings, Dir: filepath.Join(t.TempDir(), "run"),
		Notice: func(n agentworld.Notice) {
			if wait, ok := n.(agentworld.Wait); ok {
				told <- wait.For
				cancel()
			}
		},
	})
	if err != nil || result.TicksDone != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if wait := <-told; wait < time.Minute || wait > 2*time.Minute {
		t.Errorf("told of a wait of %s", wait)
	}
}
