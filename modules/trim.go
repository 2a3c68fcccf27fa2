package modules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/behavior/answer"
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
	counts := answer.Value{Kind: answer.Object}
	for _, lost := range o {
		counts.Fields = append(counts.Fields, answer.Field{Name: lost.path, Value: answer.Value{Kind: answer.Number, Text: fmt.Sprint(lost.count)}})
	}
	return counts.JSON()
}

// dropFromLongestList removes the last element of the list that takes the most
// room and returns its path. Lists inside elements of lists go with their
// elements. ok is false when every list is empty.
func dropFromLongestList(v *answer.Value) (path string, ok bool) {
	var longest *answer.Value
	size := 0
	eachList(v, "", func(at string, list *answer.Value) {
		if n := len(list.JSON()); len(list.Items) > 0 && n > size {
			longest, size, path = list, n, at
		}
	})
	if longest == nil {
		return "", false
	}
	longest.Items = longest.Items[:len(longest.Items)-1]
	return path, true
}

// eachList visits the lists that are reached through objects alone, in order. The
// body itself goes by the name it has in the output.
func eachList(v *answer.Value, path string, visit func(path string, list *answer.Value)) {
	if v.Kind == answer.Array {
		visit(cmp.Or(path, "result"), v)
	}
	for i := range v.Fields {
		eachList(&v.Fields[i].Value, strings.TrimPrefix(path+"."+v.Fields[i].Name, "."), visit)
	}
}
