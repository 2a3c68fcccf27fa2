package modules

import (
	"fmt"

	"example.com/agentworld/memory"
	"example.com/agentworld/world"
)

// chinese is the wording of Chinese prompts. Names of resources stay as they are,
// since they are what a model writes into its calls; a tick is 回合 throughout.
var chinese = wording{
	docs: map[string]string{
		moduleList:        "列出这些工具",
		moduleObservation: "你的观察或其中一节",
		moduleRecent:      "你最近的记忆",
		moduleSearch:      "搜索记忆",
		moduleRules:       "规则数值",
		moduleRoute:       "路程的耗电和回合",
		moduleDryRun:      "试运行一个候选（JSON 文本）",
		moduleDocuments:   "搜索文档",
	},
	registry: registryWording{actions: chineseActions, events: chineseEvents, kinds: map[string]string{
		world.AssemblerMk1:      "运行各产品配方",
		world.RadiationPlantMk1: "把辐射转为 electricity，储存并出售",
	}},
	nouns: map[string]string{
		string(world.ParamPlace): "地点", string(world.ParamAgent): "智能体", string(world.ParamFactory): "工厂",
		string(world.ParamOrder): "订单", string(world.ParamRequest): "请求", string(world.ParamOffer): "提议",
		string(world.ParamTerms): "请求或提议", resourceNoun: "资源", recipeNoun: "配方", world.Ticks: "回合",
		"batches": "批", unitsUnit: "单位",
	},
	lineStart: "：",

	notJSON:   "参数无法按 JSON 读取，模块未运行。请发送一个符合该工具参数的对象。",
	notObject: "参数是 JSON，但不是对象，模块未运行。请发送一个对象。",
	invalid:   "参数不符合要求，模块未运行。请改正后重新调用。",
	unknown:   "没有这个模块，什么都没有运行。",
	execution: "模块已运行，但无法给出结果；没有任何改变。",
	reason:    "原因：",
	adjusted:  "%s 取 %d，而非 %d",

	recipes: "配方 (每件产品的原料, 回合): ",
	perTick: "每回合（休眠也）耗 %d electricity（剩 %d%% 为低电），散热 %d*heat/%d " +
		"向上取整；heat 超过 %d 采集减少，到 %d 被拒",

	rules: ruleWording{
		build:      "建造 %s：%s，%d 回合；%s",
		recipe:     "%s，于 %s：每批 %s -> %s，%d 回合",
		anyFactory: "任意工厂",
		noWear:     "磨损清零",
		wear:       "磨损：每生产一批产品 +%d，到 %d 即报废停用",
		queue:      "每座工厂最多排 %d 批，逐批进行；每个智能体最多 %d 座工厂",

		capacity:   "electricity：容量 %d，每回合耗 %d，休眠也耗",
		powerState: "电力状态：剩余容量 %d%% 时为 low，%d%% 时为 critical，0 时为 shutdown",
		shutdown:   "停机期间：不耗电，每回合 +%d electricity，达到 %d%% 时重启",
		harvest:    "harvest_radiation：每回合最多 %d，每单位 +%d heat",
		heat:       "heat：超过 %d 采集量减少，达到 %d 则被拒",
		shedding:   "每回合散热：%d*heat/%d，向上取整，至少 1",

		journeyCost:  "路程每公里耗 %d electricity，不足一公里按一公里计，出发时扣除",
		journeyTicks: "每 %d 公里用一回合，不足也算一回合；该回合末到达",
		onTheWay:     "途中每回合另耗 %d electricity，且不能行动，也看不到任何东西",
		ranDry:       "途中电量耗尽的智能体到达时处于停机状态",
		messages:     "消息需 1 回合，每满 %d 公里再加 1 回合；在途者到达后收到",
		kept:         "只保留发给你的最新 %d 条消息和每处最新 %d 条留言；你在途的消息最多 %d 条",

		plant:          "电站每回合最多产 %d electricity，且不超过当地辐射；可储存 %d",
		plantWear:      "每个发电的回合磨损 1，到 %d 停用",
		plantPrice:     "存满时每 10 electricity 要价 1 data，存空时最高 %d；所有者用 buy_power 免费取用",
		trades:         "交易以 %d 为一手，每手 1-%d data，按先挂单者的价格成交",
		orders:         "订单保留 %d 回合，每个智能体最多 %d 单；结束时退还托管",
		handedOver:     "订单买到的 electricity 在下单地点交付，以装得下为限",
		quotes:         "其他地点的报价至少滞后 1 回合，每 %d 公里再加 1 回合",
		standingMost:   "max_ticks：尝试 1-%d 次",
		standingIgnore: "ignore：可列入 %s",
		and:            " 和 ",
	},
	faults: chineseFaults,
	memory: memory.Words{Tick: "第 %d 回合", Ticks: "第 %d-%d 回合", Failed: "失败", From: "来自",
		Last: ", 最新一条", Total: "合计"},
	score: " (相关度 %d)",
}

// chineseActions say what each action does and costs.
var chineseActions = map[string]func(world.Rules) string{
	"wait":       said("不行动"),
	"wait_ticks": said("休眠；作业、消息、成交、电力变化时醒"),
	"move_agent": func(r world.Rules) string {
		return fmt.Sprintf("每公里 %d electricity，向上取整；每回合 %d km", r.MoveCostPerKM, r.MoveRangeKM)
	},
	"harvest_radiation": func(r world.Rules) string {
		return fmt.Sprintf("此处辐射转为 electricity，每单位 %d heat", r.HeatFactor)
	},
	"mine_compound": func(r world.Rules) string {
		return fmt.Sprintf("每公斤 %d electricity，向上取整", r.MineCostPerKG)
	},
	"refine_compound": func(r world.Rules) string {
		return fmt.Sprintf("%d g 加 %d electricity 得 1 hardware", r.RefineGPerHardware, r.RefineCostPerKG)
	},
	"build_factory": func(r world.Rules) string {
		return fmt.Sprintf("在此处动工：%d electricity、%d hardware、%d 回合；电站 %d electricity、%d "+
			"hardware、%d 回合",
			r.BuildElectricity, r.BuildHardware, r.BuildTicks, r.PlantElectricity, r.PlantHardware, r.PlantTicks)
	},
	"schedule_recipe":    said("在此处你的工厂，逐批进行；原料即扣"),
	"transfer_resource":  said("给此处的智能体"),
	"buy_power":          said("在此处，按十；price：每 10 最高 data"),
	"sell_power":         said("在此处，按十；price：最低 data"),
	"place_power_order":  said("在此处挂单，按十"),
	"cancel_power_order": said("撤单"),
	"send_message": func(world.Rules) string {
		return fmt.Sprintf("给任何智能体，最多 %d 字符；远则晚到", world.TextMax)
	},
	"post_note":    said("此处留言"),
	"request":      said("向任何智能体索要"),
	"offer":        said("以物易物，托管至成交、撤回或到期"),
	"accept_offer": said("此处：付其所要，得其所给"),
	"decline":      said("谢绝"),
	"cancel_offer": said("收回此处自己的"),
	"execute_until": said(
		"每回合自动重复一个行动、不再询问，直到某事件发生、被拒或满 max_ticks 次"),
}

// said is a text without numbers.
func said(text string) func(world.Rules) string { return func(world.Rules) string { return text } }

// chineseEvents say when each stop event holds.
var chineseEvents = map[string]string{
	world.StopActionRejected:          "一次尝试被拒（始终生效）",
	world.StopArriveTarget:            "一段路程结束",
	world.StopInsufficientElectricity: "electricity 低于容量的五分之一",
	world.StopThermalOverload:         "heat 达到或超过容量",
	world.StopNewVisibleAgent:         "视野中出现了新的智能体",
	world.StopNewVisibleLocation:      "视野中出现了新的地点",
	world.StopHarvestYieldBelow:       "上次采集所得不超过 value",
	world.StopHarvestAvailableBelow:   "此处辐射不超过 value",
	world.StopElectricityBelow:        "自身 electricity 不超过 value",
	world.StopElectricityAbove:        "自身 electricity 不低于 value",
	world.StopHeatBelow:               "自身 heat 不超过 value",
	world.StopHeatAbove:               "自身 heat 不低于 value",
	world.StopCompoundAbove:           "自身 compound 不低于 value 克",
	world.StopHardwareAbove:           "自身 hardware 不低于 value",
	world.StopJobDone:                 "自己的作业或建造完成",
	world.StopOrderFilled:             "他人成交了你在此处订单的一部分",
	world.StopPowerLow:                "电力状态降到 low 或 critical（未被忽略则生效）",
	world.StopMessageReceived:         "收到一条消息（未被忽略则生效）",
}
