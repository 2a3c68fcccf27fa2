package world

// RulesVersion names the rules of the kernel: what actions cost and do, and what
// views show. Runs of different rules do not replay on each other.
const RulesVersion = "3"
