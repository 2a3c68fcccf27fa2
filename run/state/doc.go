// Package state is what a run is after its records so far: [State] is their fold, one
// record at a time. It answers questions about a run: which caps hold in a tick
// ([State.CapsAt]), what was spent, how the run ended, and what exists of an incomplete
// tick ([Open]). [Index] is the part that readers keep in a file.
package state
