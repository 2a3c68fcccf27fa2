package playbook

import "testing"

func TestIDs(t *testing.T) {
	for _, c := range []struct {
		id     string
		number int
		ok     bool
	}{
		{"nav-00012", 12, true}, {"err-12345", 12345, true}, {"haz-123456", 123456, true}, {"res-999999999", NumberMax, true},
		{"res-1000000000", 0, false}, {"nav-000012", 0, false}, {"nav-0012", 0, false}, {"nav-00000", 0, false},
		{"nav--0012", 0, false}, {"nav-+0012", 0, false}, {"nav-0001a", 0, false}, {"Nav-00012", 0, false},
		{"misc-00012", 0, false}, {"nav", 0, false}, {"nav-", 0, false}, {"-00012", 0, false}, {"", 0, false},
		{"nav-99999999999999999999", 0, false}, {" nav-00012", 0, false}, {"nav-０００１２", 0, false},
	} {
		section, number, ok := splitID(c.id)
		if ok != c.ok || ok && (number != c.number || newID(section, number) != c.id) {
			t.Errorf("splitID(%q) = %q, %d, %v, want %d, %v", c.id, section, number, ok, c.number, c.ok)
		}
	}
}
