// Package state is what a run is after its records so far: [State] is their fold, one
// record at a time. Who wants to know something of a run asks that value: which caps hold
// in a tick ([State.CapsAt]), what was spent, how it ended, and what is there of a tick
// that is not whole ([Open]). [Index] is what readers keep of it in a file.
package state
