package memory

import (
	"maps"
	"slices"
)

// Fork returns an independent copy, in which other things can happen. It costs time and memory in
// proportion to what is held.
func (m *Memory) Fork() *Memory {
	f := *m
	copies := make(map[*record]*record, len(m.ids))
	series := make(map[*series]*series, len(m.series))
	for _, s := range m.series {
		series[s] = new(*s)
	}
	for _, t := range m.ids {
		c := new(*t)
		c.Entry = t.copied()
		if t.series != nil {
			c.series = series[t.series]
		}
		copies[t] = c
	}
	for _, s := range series {
		if s.summary != nil {
			s.summary = copies[s.summary]
		}
	}
	f.facts = maps.Clone(m.facts)
	for k, t := range f.facts {
		f.facts[k] = copies[t]
	}
	f.ids = maps.Clone(m.ids)
	for id, t := range f.ids {
		f.ids[id] = copies[t]
	}
	f.series = maps.Clone(m.series)
	for k, s := range f.series {
		f.series[k] = series[s]
	}
	f.index = m.index.Clone()
	f.texts = replaced(m.texts, copies)
	f.marks = slices.Clone(m.marks)
	f.subjects = maps.Clone(m.subjects)
	for s, numbers := range f.subjects {
		f.subjects[s] = slices.Clone(numbers)
	}
	f.short, f.long = replaced(m.short, copies), replaced(m.long, copies)
	return &f
}

// replaced is a list of copies of the records; nil is nothing.
func replaced(list []*record, copies map[*record]*record) []*record {
	all := make([]*record, len(list))
	for i, t := range list {
		if t != nil {
			all[i] = copies[t]
		}
	}
	return all
}
