package stub

// language is what the policy has to know of the language of a prompt: the headings
// of the sections it reads, the keys of lines and the words within them. The
// grammar of the lines and all names are the same in every language.
type language struct {
	headingObservation, headingGoals, headingHistory, headingLastOutcome, headingMemory string

	keyYou, keyHere, keyCan, keyCannot, keyPlaces, keyAgents, keyFactories string
	columnCost, columnEmission                                             string

	// at and here tell where something is, to leads to the choices of an action.
	at, here, to string
	// power leads to the power state, price to a price, most to a bound.
	power, price, most string
	// short marks what an action lacks, more the count of what a list leaves out.
	short, more string
	// queued stands beside a number of batches, ready beside a number of ticks.
	queued, ready string
	// refused stands behind an action that the world refused.
	refused string
}

// languages are the languages of prompts. The one whose heading of an observation a
// prompt has is the prompt's.
var languages = []language{
	{
		headingObservation: "# Observation", headingGoals: "# Goals", headingHistory: "# History", headingLastOutcome: "# Last outcome", headingMemory: "# Memory",
		keyYou: "you", keyHere: "here", keyCan: "can", keyCannot: "cannot", keyPlaces: "places", keyAgents: "agents", keyFactories: "factories",
		columnCost: "cost", columnEmission: "emission",
		at: "at", here: "here", to: "to", power: "power", price: "price", most: "max", short: "short", more: "more",
		queued: "queued", ready: "ready", refused: "refused",
	},
	{
		headingObservation: "# 观察", headingGoals: "# 目标", headingHistory: "# 历史", headingLastOutcome: "# 上次结果", headingMemory: "# 记忆",
		keyYou: "你", keyHere: "此处", keyCan: "可做", keyCannot: "不可做", keyPlaces: "地点", keyAgents: "智能体", keyFactories: "工厂",
		columnCost: "耗电", columnEmission: "辐射源",
		at: "在", here: "在此", to: "至", power: "电力", price: "价", most: "最多", short: "缺", more: "另有",
		queued: "排队", ready: "尚需", refused: "被拒",
	},
}

// languageOf is the language of the last observation among texts, and the first
// language where there is none.
func languageOf(texts []string) language {
	for i := len(texts) - 1; i >= 0; i-- {
		for _, l := range languages {
			if _, _, ok := section(texts[i], l.headingObservation); ok {
				return l
			}
		}
	}
	return languages[0]
}
