package guardeval

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is that of the bounds.
const confidence = 0.95

// Rate is how often something happened, with the exact one-sided 95% bounds of Clopper
// and Pearson ("The use of confidence or fiducial limits illustrated in the case of the
// binomial", Biometrika 26, 1934): with 95% confidence the true share is at most Upper,
// and with 95% at least Lower.
type Rate struct {
	// Count of Of cases.
	Count int `json:"count"`
	Of    int `json:"of"`
	// Share is Count / Of, from 0 to 1; 0 without any case.
	Share float64 `json:"share"`
	// Lower and Upper are the bounds, from 0 to 1; without any case they are 0 and 1.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// newRate counts k of n.
func newRate(k, n int) Rate {
	if k < 0 || k > n {
		panic("guardeval: a share of more than there are")
	}
	r := Rate{Count: k, Of: n, Upper: 1}
	if n == 0 {
		return r
	}
	r.Share = float64(k) / float64(n)
	if k > 0 {
		r.Lower = rounded(distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(1 - confidence))
	}
	if k < n {
		r.Upper = rounded(distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(confidence))
	}
	r.Share = rounded(r.Share)
	return r
}

// rounded keeps four places: more would only differ between machines.
func rounded(x float64) float64 { return math.Round(x*10_000) / 10_000 }
