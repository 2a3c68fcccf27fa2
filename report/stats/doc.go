// Package stats compares two arms of runs, A and B, on scores that come in pairs.
//
//	verdict, err := stats.Compare(pairs, stats.Options{Margin: 0.5})
//	fmt.Println(verdict.Outcome, verdict.Difference, verdict.P)
//
// A [Pair] is the score of A and the score of B on the same instance and repeat. Pairs
// that share an instance are not independent, so they form a cluster. The mean
// difference of each cluster is one observation of every test here.
//
// What to use:
//
//   - [CompareAll] gives the verdict on one metric, [CompareAll] on several.
//   - [EProcess] may be looked at after every cluster. The p-value of [CompareAll] holds
//     only if the number of clusters does not depend on the scores.
//   - [Design] says how many clusters a comparison needs.
//   - [Wilson] and [PassK] describe one arm.
//
// Everything is deterministic. Where a test draws at random, it draws from a seed.
// Exchanging the arms negates every difference and interval exactly and leaves every
// p-value as it is.
package stats
