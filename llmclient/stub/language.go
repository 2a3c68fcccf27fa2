package stub

// language is what the policy has to know of the language of a prompt: the headings
// of the sections it reads, the keys of lines and the words within them. The
// grammar of the lines and all names are the same in every language.
type language struct {
	headingObservation, headingGoals, headingKnown, headingHistory, headingLastOutcome, headingMemory, headingDocuments,
	headingMessages string

	keyYou, keyHere, keyCan, keyPlaces, keyAgents, keyFactories, keyRecipes string
	columnCost, columnTicks, columnEmission                                 string

	// at and here tell where something is, found where something was found, to leads to
	// the choices of an action.
	at, here, found, to string
	// power leads to the power state, radiation, price and wear to those, most to a bound.
	power, radiation, price, wear, most string
	// more marks the count of what a list leaves out.
	more string
	// queued follows a number of batches, ready a number of ticks.
	queued, ready string
	// refused follows an action that the world refused.
	refused string
	// all stands for all agents.
	all string

	// keyTerms and keyOwnTerms lead to requests and offers, the others to what they say.
	// left and expires are in a part that also has a number.
	keyTerms, keyOwnTerms, from, receiver, gives, wants, answers, claim, left, expires string
}

// languages are the languages of prompts. The one whose heading of an observation a
// prompt has is the prompt's.
var languages = []language{
	{
		headingObservation: "# Observation", headingGoals: "# Goals", headingKnown: "# Known rules",
		headingHistory: "# History", headingLastOutcome: "# Last outcome", headingMemory: "# Memory",
		headingDocuments: "# Documents", headingMessages: "# Messages",
		keyYou: "you", keyHere: "here", keyCan: "can", keyPlaces: "places", keyAgents: "agents", keyFactories: "factories",
		keyRecipes: "recipes",
		columnCost: "cost", columnTicks: "ticks", columnEmission: "emission",
		at: "at", here: "here", found: "at", to: "to", power: "power", radiation: "radiation", price: "price", wear: "wear",
		most: "max", more: "more",
		queued: "queued", ready: "ready", refused: "refused", all: "all agents",
		keyTerms: "requests and offers", keyOwnTerms: "own requests and offers", from: "from", receiver: "to",
		gives: "gives", wants: "wants", answers: "answers", claim: "claim", left: "left", expires: "expires",
	},
	{
		headingObservation: "# 观察", headingGoals: "# 目标", headingKnown: "# 已知规则", headingHistory: "# 历史",
		headingLastOutcome: "# 上次结果", headingMemory: "# 记忆", headingDocuments: "# 文档",
		headingMessages: "# 消息",
		keyYou:          "你", keyHere: "此处", keyCan: "可做", keyPlaces: "地点", keyAgents: "智能体",
		keyFactories: "工厂", keyRecipes: "配方",
		columnCost: "耗电", columnTicks: "回合", columnEmission: "辐射源",
		at: "在", here: "在此", found: "位于", to: "至", power: "电力", radiation: "辐射", price: "价",
		wear: "磨损", most: "最多", more: "另有",
		queued: "排队", ready: "尚需", refused: "被拒", all: "全体智能体",
		keyTerms: "请求和提议", keyOwnTerms: "自己的请求和提议", from: "来自", receiver: "给",
		gives: "给出", wants: "想要", answers: "答复", claim: "待领", left: "还差", expires: "回合后到期",
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
