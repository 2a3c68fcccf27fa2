package trace

// CapChange says that from a tick on other caps hold, as somebody who went on with the
// run wanted. What was spent before counts. Caps change between two ticks: it stands
// before the first request of its tick.
type CapChange struct {
	// Tick is the first tick in which the caps hold.
	Tick int64 `json:"tick"`
	// Caps are all that hold from then on; the zero value is none.
	Caps Caps `json:"caps"`
}

// RecordType implements [Record].
func (CapChange) RecordType() Type { return TypeCapChange }

// RecordTick implements [Record].
func (c CapChange) RecordTick() int64 { return c.Tick }

func (c CapChange) untimed() Record { return c }
