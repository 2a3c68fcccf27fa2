// Package suite judges entries of a suite, and ranks them.
//
// A suite is a frozen set of instances, see [scenario.Suite]. An [Entry] is what one arm of a batch directory
// played of it. [Entry.Verify] says what keeps it from being a valid one: runs that are missing or are none of the
// suite, that were changed after they were played, several sets of settings, and too much that the program or the
// provider did in the player's place. A [Table] ranks valid entries on the scale of each instance, between doing
// nothing and the best play known.
package suite
