package world

// powerAmount and powerPrice are the terms that all trades share.
var (
	powerAmount = Param{
		Name: "amount", Kind: ParamAmount, Unit: "units", Min: PowerLot, Max: PowerTradeMax, Give: true,
		Doc: "electricity, in lots of 10",
	}
	powerPrice = Param{
		Name: "price", Kind: ParamAmount, Unit: "data", Min: 1, Max: PowerPriceMax, Give: true,
		Doc: "data per 10 electricity",
	}
)

// marketSpecs describe the four actions of the market.
func marketSpecs() []ActionSpec {
	return []ActionSpec{
		{
			Name: "buy_power", Doc: "Here; price: most data per 10 electricity.",
			Params: []Param{powerAmount, powerPrice},
		},
		{
			Name: "sell_power", Doc: "Here; price: least data.",
			Params: []Param{powerAmount, powerPrice},
		},
		{
			Name: "place_power_order", Doc: "Leave an order here.",
			Params: []Param{
				{Name: "side", Kind: ParamChoice, Choices: []string{SideBuy, SideSell}, Doc: "buy or sell"},
				powerAmount, powerPrice,
			},
		},
		{
			Name: "cancel_power_order", Doc: "Take it back.",
			Params: []Param{{Name: "order_id", Kind: ParamOrder, Doc: "id of your order"}},
		},
	}
}
