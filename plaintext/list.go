package plaintext

import (
	"fmt"
	"strings"
)

// listedMax bounds how many names are listed.
const listedMax = 20

// Listed joins names with commas, the first 20 of them, and says how many more there are.
func Listed(names []string) string {
	if len(names) <= listedMax {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:listedMax], ", ") + fmt.Sprintf(" and %d more", len(names)-listedMax)
}
