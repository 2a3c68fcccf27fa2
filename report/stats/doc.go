// Package stats compares two arms of runs, A and B, on scores that come in pairs.
//
//	verdicts, err := stats.CompareAll([]stats.Metric{{Pairs: pairs, Options: stats.Options{Margin: 0.5}}})
//	fmt.Println(verdicts[0].Outcome, verdicts[0].Difference, verdicts[0].P)
//
// A [Pair] is the score of A and the score of B on the same instance and repeat. Pairs
// that share an instance are not independent, so they form a cluster. The mean
// difference of each cluster is one observation of every test here.
//
// What to use:
//
//   - [CompareAll] gives the verdicts of a table. Its p-values hold only if the number of clusters
//     does not depend on the scores, unless [Options.Sequential] is set.
//   - [Ranks] and [Ties] say who ranks where by such verdicts.
//   - [SeatPairs] makes pairs of two arms that shared a world.
//   - [Design] says how many clusters a comparison needs, and [Rehearsal] where no formula does.
//   - [Wilson] and [PassK] describe one arm.
//   - [Noise] says how far two runs of the same settings differ.
//
// Better and worse rest on the signs of differences alone, and hold for scores of any
// distribution. Equivalent and not worse rest on bets, and hold for scores of a known range.
//
// Everything is deterministic. Where a test draws at random, it draws from a seed.
// Exchanging the arms negates every difference and interval exactly and leaves every
// p-value as it is.
package stats
