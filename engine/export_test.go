package engine

import "example.com/agentworld/engine/ahead"

// Distort lets shadows begin with another base than the run's.
func Distort(a *Ahead, by func(ahead.Base) ahead.Base) { a.distort = by }
