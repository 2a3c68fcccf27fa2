package cli

import (
	"slices"
	"strings"
)

// errorText is the message of an error for one line. Joined errors stand side by side,
// separated by "; ", and each is said once: a disk that is full fails whatever is tried
// next on it, and a writer that failed fails again when it is closed.
func errorText(err error) string {
	if !strings.Contains(err.Error(), "\n") {
		return err.Error()
	}
	var said []string
	all := strings.Split(strings.ReplaceAll(err.Error(), "\n", "; "), "; ")
	for i, text := range all {
		quoted := func(other string) bool { return strings.HasSuffix(other, ": "+text) }
		if !slices.Contains(all[:i], text) && !slices.ContainsFunc(all, quoted) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "; ")
}
