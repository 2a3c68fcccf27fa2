//go:build !race

package answer

// raceDetector says that the tests are built with it.
const raceDetector = false
