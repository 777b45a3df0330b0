// Package plugin is the guest of the plug-in host: it answers requests with modules that plug-ins
// import, and asks the host once about each.
package plugin

import (
	"encoding/json"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/go-playground/validator/v10"
	"github.com/tidwall/gjson"

	"github.com/gyrvm/gyr/peers/host"
)

type order struct {
	Customer string `validate:"required,email"`
	Items    []item `validate:"required,min=1,max=50,dive"`
	Coupon   string `validate:"omitempty,alphanum,len=6"`
}

type item struct {
	Name  string `validate:"required,max=40"`
	Count int64  `validate:"gte=1,lte=1000"`
	Each  int64  `validate:"gte=0"`
}

type answer struct {
	Customer string
	Total    int64
	Discount int
	Refused  string
}

// A facts is what the rule of discounts knows.
type facts struct {
	Tier, Total, Count int64
	Coupon             string
}

var (
	valid = validator.New(validator.WithRequiredStructEnabled())
	rule  = func() *vm.Program {
		p, err := expr.Compile(`Tier >= 2 && Total > 5000 ? int(Total * Tier / 100) : Coupon startsWith "SUMMER" ? 250 : Count > 10 ? 100 : 0`,
			expr.Env(facts{}), expr.AsInt())
		if err != nil {
			panic(err)
		}
		return p
	}()
)

// Handle answers a request, JSON with JSON.
func Handle(text string) string { return handle(text, host.Tier) }

// Prepare fills caches of the modules. An instance calls it after initialisation.
func Prepare() { handle(sample, func(string) int64 { return 2 }) }

// PrepareAsking is Prepare with a call of the host.
func PrepareAsking() { Handle(sample) }

const sample = `{"customer":"a@example.com","coupon":"ABC123","items":[{"name":"tea","count":20,"each":450}]}`

func handle(text string, tier func(string) int64) string {
	q := gjson.Parse(text)
	o := order{Customer: q.Get("customer").String(), Coupon: q.Get("coupon").String()}
	a := answer{Customer: o.Customer}
	known := facts{Coupon: o.Coupon}
	for _, it := range q.Get("items").Array() {
		o.Items = append(o.Items, item{it.Get("name").String(), it.Get("count").Int(), it.Get("each").Int()})
	}
	if err := valid.Struct(&o); err != nil {
		a.Refused = err.Error()
		return encoded(&a)
	}
	for _, it := range o.Items {
		a.Total += it.Count * it.Each
		known.Count += it.Count
	}
	known.Total, known.Tier = a.Total, tier(o.Customer)
	discount, err := expr.Run(rule, known)
	if err != nil {
		a.Refused = err.Error()
		return encoded(&a)
	}
	a.Discount = discount.(int)
	return encoded(&a)
}

func encoded(a *answer) string {
	b, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
