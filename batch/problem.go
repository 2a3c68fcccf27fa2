package batch

import (
	"errors"
	"fmt"
	"slices"

	"example.com/agentworld/internal/document"
)

// Problem is something wrong with a batch file.
type Problem struct {
	// Line is where it is, 0 for the file as a whole.
	Line int
	// Text says what is wrong and what is allowed.
	Text string
}

// Error is the problem with its line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Problems are the problems that an error of this package joins, in the order of lines.
func Problems(err error) (list []*Problem) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			list = append(list, Problems(one)...)
		}
	} else if p, ok := errors.AsType[*Problem](err); ok {
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b *Problem) int { return a.Line - b.Line })
	return list
}

// mistypedIn are the values of a wrong type among what is wrong with a document, nil for nothing. whole says that all
// of the others could be read; else the last of them says why not.
func mistypedIn(bad *document.Error) (list []*document.Error, whole bool) {
	if bad == nil {
		return nil, true
	}
	for _, one := range append([]*document.Error{bad}, bad.Others...) {
		if one.Unknown {
			continue // all of those are found with what is allowed in their places
		}
		list = append(list, one)
		if !one.Type {
			return list, false
		}
	}
	return list, true
}
