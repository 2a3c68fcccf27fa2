package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentsOfAnotherEncoding: a document in UTF-16 is refused as that, with and without a mark,
// also where its bytes are valid UTF-8.
func TestDocumentsOfAnotherEncoding(t *testing.T) {
	for name, text := range map[string]string{"marked": "\xff\xfeo\x00r\x00", "unmarked": "o\x00r\x00d\x00e\x00r\x00"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "orders.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, problems := readDocuments(dir)
		if len(list) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), "UTF-16") {
			t.Errorf("%s: %v, %v", name, list, problems)
		}
	}
}
