//go:build !linux && !darwin

package jq

import "time"

// limitMemory does nothing: here the watch alone bounds memory.
func limitMemory(int64) {}

// began is when the process began.
var began = time.Now()

// processorTime is how long this process has run: the time that it computed is not known.
func processorTime() time.Duration { return time.Since(began) }
