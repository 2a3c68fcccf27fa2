// Package documents finds passages of documents by words.
//
// A [Library] cuts documents into chunks at headings and paragraphs. [Library.Search] returns
// those that match a query best. A chunk is a source: decisions cite it by its id.
//
//	library := documents.New(list)
//	for _, found := range library.Search("price of data", 3, func(c *Chunk) bool { return c.For("agent-1") }) {
//		prompt += found.Line()    // [doc-1-4] "market.md > Prices": "Data is sold at ..."
//	}
//
// Everything is integer arithmetic over the given order, so equal calls give equal results.
package documents
