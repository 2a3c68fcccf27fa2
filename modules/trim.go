package modules

import (
	"encoding/json"
	"fmt"
)

// omissions counts the list elements dropped from a body, list by list.
type omissions []omission

// omission is how many elements one list lost.
type omission struct {
	path  string
	count int
}

// add counts one more element dropped from the list at path.
func (o *omissions) add(path string) {
	for i := range *o {
		if (*o)[i].path == path {
			(*o)[i].count++
			return
		}
	}
	*o = append(*o, omission{path, 1})
}

// json returns an object from list to count, such as {"places":3}, in the order
// in which lists first lost an element.
func (o omissions) json() json.RawMessage {
	counts := value{kind: kindObject}
	for _, lost := range o {
		counts.fields = append(counts.fields, field{lost.path, value{kind: kindNumber, text: fmt.Sprint(lost.count)}})
	}
	return counts.json()
}

// dropFromLongestList removes the last element of the list that takes the most
// room and returns its path. Lists inside elements of lists go with their
// elements. ok is false when every list is empty.
func (v *value) dropFromLongestList() (path string, ok bool) {
	var longest *value
	size := 0
	v.eachList("", func(at string, list *value) {
		if n := len(list.json()); len(list.items) > 0 && n > size {
			longest, size, path = list, n, at
		}
	})
	if longest == nil {
		return "", false
	}
	longest.items = longest.items[:len(longest.items)-1]
	return path, true
}

// eachList visits the lists that are reached through objects alone, in order. The
// body itself goes by the name it has in the output.
func (v *value) eachList(path string, visit func(path string, list *value)) {
	if v.kind == kindArray {
		if path == "" {
			path = "result"
		}
		visit(path, v)
	}
	for i := range v.fields {
		v.fields[i].value.eachList(below(path, v.fields[i].name), visit)
	}
}
