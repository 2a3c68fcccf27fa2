// Package relevance says how well texts match a query, by words alone.
//
// An [Index] holds texts under small numbers and answers a query with the BM25
// relevance of each of them:
//
//	var index relevance.Index
//	a := index.Add("mined 5000 g of compound at the hub")
//	b := index.Add("矿区的矿石已经耗尽")
//	found := index.Relevances(QueryTerms("矿石")) // found[a] == 0, found[b] > 0
//
// [Terms] is how a text is taken apart: words for scripts with spaces, pairs of
// neighbouring characters for scripts without. So English, Chinese and a mixture
// of both are searched by the same rules, without a dictionary.
//
// All of it is integer arithmetic, so that the same calls give the same numbers on
// every machine.
package relevance
