// Package plot draws runs and batches as SVG: the score over time, intervals of differences, and ranks.
//
//	svg := plot.Score([]plot.Panel{{Title: "minimal", Lines: lines}})
//	os.WriteFile("score.svg", svg, 0o644)
//
// A picture is 480 units wide and readable at 80 mm, where its texts have some 6.5 points. It holds no script and
// refers to nothing else. Its colours are told apart by people who see fewer of them, and on paper without any by
// their strokes. Equal values give equal bytes.
package plot
