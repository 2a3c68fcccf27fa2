package memory

import "fmt"

// English are the words of the tests.
var English = Words{
	When: func(first, last int64) string {
		if first == last {
			return fmt.Sprintf("tick %d", last)
		}
		return fmt.Sprintf("ticks %d-%d", first, last)
	},
	Failed: "failed", From: "from", Last: ", the last", Total: "total",
}
