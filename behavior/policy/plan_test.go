package policy

import (
	"reflect"
	"testing"
)

// TestPlannedActionsAreEqualInEveryField: a field that Equal does not compare would make two
// actions one.
func TestPlannedActionsAreEqualInEveryField(t *testing.T) {
	for i := range reflect.TypeFor[PlannedAction]().NumField() {
		var p PlannedAction
		switch field := reflect.ValueOf(&p).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int64:
			field.SetInt(1)
		case reflect.Pointer:
			field.Set(reflect.ValueOf(new(int64(1))))
		case reflect.Slice:
			field.Set(reflect.ValueOf([]string{"x"}))
		default:
			t.Fatalf("field %d is of another kind", i)
		}
		q := p
		if n := p.Amount; n != nil {
			q.Amount = new(*n)
		}
		if !p.Equal(q) || p.Equal(PlannedAction{}) || (PlannedAction{}).Equal(p) {
			t.Errorf("Equal does not compare field %s", reflect.TypeOf(p).Field(i).Name)
		}
	}
}
